-- Give an article the votes that its voters make and the places in rankings that its fields require.
-- KEYS  1 article:<id>  2 voted:<id>  3-8 rankings of the site  9 posted:<poster>  10 gone:<poster>
--       11 link:<digest>  12 user:<poster>  13 held-articles:  then for each group of the article that exists its four keys
-- ARGV  1 the article as a member of rankings  2 seconds per vote  3-5 the other ranking arguments  6 the day of KEYS[7]
--       7 whether the link has a domain (0 or 1)  8 voting seconds of an article without an end of voting
--       9 seconds a link is remembered  10 the article's groups  11 its poster  12 its link, each as the caller knows it
-- Answers  repaired [new votes, base and end of voting, if one changed] | unchanged
--          | again (groups, link, poster or day are others)
--          | unrepairable (a field is missing or invalid, and nothing else tells its value)
-- While there are voters, votes = base + voters. The votes never fall: those beyond the voters, some of whom may be
-- lost, go into the base; and when all voters of an article are lost, voting on it is over.
local member, vote_score, max_lift, good_votes, max_ranked, day, has_domain, voting_seconds, link_seconds, known_groups,
  known_poster, known_link = unpack(ARGV)
local FIRST_GROUP_KEY = 14
local title, link, poster, posted, votes, base, stored_end, field, gone = unpack(
  redis.call('HMGET', KEYS[1], 'title', 'link', 'poster', 'time', 'votes', 'base', 'closes', 'groups', 'gone'))
local time = finite(posted or '')
if not title or not time or (gone and gone ~= 'deleted' and gone ~= 'removed' and gone ~= 'held') then
  return { 'unrepairable' }
elseif (field or '') ~= known_groups or (poster or '') ~= known_poster or (link or '') ~= known_link
  or day_of(time) ~= day then
  return { 'again' }
end
check_types(2, 2, 'set')
check_types(3, 11, 'zset')
check_types(12, 12, 'hash')
check_types(13, 13, 'zset')
for i = FIRST_GROUP_KEY, #KEYS, GROUP_KEYS do
  check_types(i, i, 'set')
  check_types(i + 1, i + 3, 'zset')
end
-- A whole number; a missing one is 0, as a program written after the book leaves it.
local function whole_number(text)
  return not text and 0 or string.match(text, '^%s*[+-]?%d+%s*$') and tonumber(text)
end
local voters = redis.call('SCARD', KEYS[2])
local new_votes, new_base = whole_number(votes), whole_number(base)
if not new_votes and new_base and voters > 0 then
  new_votes = new_base + voters
end
if not new_votes then
  return { 'unrepairable' }
end
local closes, seconds = voting_end(stored_end, time, voting_seconds), math.floor(tonumber(now()))
local is_lost = voters == 0 and new_votes ~= new_base and gone ~= 'deleted' and seconds < closes
if is_lost then
  closes = seconds
end
if voters > 0 and gone ~= 'deleted' then
  new_votes = new_base and math.max(new_votes, new_base + voters) or new_votes
  new_base = new_votes - voters
end
new_base = new_base or new_votes

local changed = false
local function repair_field(name, before, number)
  if tonumber(before or 0) ~= number then
    redis.call('HSET', KEYS[1], name, string.format('%d', number))
    changed = true
  end
end
local function repair_ranking(i, number)
  local stored = redis.call('ZSCORE', KEYS[i], member)
  if number and tonumber(stored or 'nan') ~= number then
    rank(KEYS[i], number, member)
    changed = true
  elseif stored and not number then
    redis.call('ZREM', KEYS[i], member)
    changed = true
  end
end
local is_listed = not gone
local place = find_place(member, time, new_votes, vote_score, max_lift, good_votes, max_ranked)
local points = is_listed and place.points
-- What a program after the book has stored (it writes no base) is in these once it got a vote here.
local is_ours = is_listed and base
local function repair_best(i)
  local stored, left_out = unpack(redis.call('ZMSCORE', KEYS[i], member, LEFT_OUT))
  local is_below = left_out and place.by_votes < tonumber(left_out)
  if not is_listed or stored and is_below then
    repair_ranking(i, nil)
  elseif (is_ours or stored) and tonumber(stored or 'nan') ~= place.by_votes
    and (stored or not left_out or place.by_votes > tonumber(left_out)) then
    rank_best(KEYS[i], place)
    changed = true
  end
end
local poster_exists = redis.call('HEXISTS', KEYS[12], 'id') == 1
repair_field('votes', votes, new_votes)
repair_field('base', base, new_base)
if is_lost or stored_end and stored_end ~= string.format('%d', closes) then
  redis.call('HSET', KEYS[1], 'closes', string.format('%d', closes))
  changed = true
end
local new_values = changed and string.format('votes %d, base %d, voting until %d', new_votes, new_base, closes) or nil
repair_ranking(3, is_listed and time)
repair_ranking(4, points)
repair_ranking(5, is_listed and place.is_good and time)
repair_best(6)
repair_best(7)
local of_domain = redis.call('ZSCORE', KEYS[8], member)
repair_ranking(8, is_listed and has_domain == '1' and (base or of_domain) and math.floor(time))
repair_ranking(9, is_listed and poster_exists and time)
repair_ranking(10, gone and poster_exists and time)
repair_ranking(13, gone == 'held' and time)
local linked = redis.call('ZSCORE', KEYS[11], member)
local is_fresh = base and tonumber(now()) < time + tonumber(link_seconds)
if not is_listed or known_link == '' then
  repair_ranking(11, nil)
elseif (linked or is_fresh) and tonumber(linked or 'nan') ~= math.floor(time) then
  remember_link(KEYS[11], time, tonumber(link_seconds), member)
  changed = true
end
for i = FIRST_GROUP_KEY, #KEYS, GROUP_KEYS do
  local in_group = redis.call('SISMEMBER', KEYS[i], member) == 1
  if in_group ~= is_listed then
    redis.call(is_listed and 'SADD' or 'SREM', KEYS[i], member)
    changed = true
  end
  repair_ranking(i + 1, is_listed and time)
  repair_ranking(i + 2, points)
  repair_best(i + 3)
end
return { changed and 'repaired' or 'unchanged', new_values }
