-- Give an article the places that its votes are worth now: in the rankings by score that hold it, among the good articles,
-- in the rankings by votes and in that of its link's domain.
-- KEYS  1 article:<id>  2-7 rankings of the site  then for each group of the article its four keys
-- ARGV  1 the article as a member of rankings  2 seconds per vote  3-5 the other ranking arguments  6 the day of KEYS[6]
--       7 whether the link has a domain (0 or 1)  8 the article's groups as the caller knows them  9 its link
-- Answers  moved | same | again (groups, link or day are others) | unknown (no such article, or it is gone)
local member, vote_score, max_lift, good_votes, max_ranked, day, has_domain, known_groups, known_link = unpack(ARGV)
local FIRST_GROUP_KEY = 8
local title, posted, votes, field, link, gone, base = unpack(
  redis.call('HMGET', KEYS[1], 'title', 'time', 'votes', 'groups', 'link', 'gone', 'base'))
local time, count = finite(posted or ''), finite(votes or 0)
if not title or not time or not count or gone then
  return { 'unknown' }
elseif (field or '') ~= known_groups or (link or '') ~= known_link or day_of(time) ~= day then
  return { 'again' }
end
check_types(2, 7, 'zset')
for i = FIRST_GROUP_KEY, #KEYS, GROUP_KEYS do
  check_types(i, i, 'set')
  check_types(i + 1, i + 3, 'zset')
end
write_when_full(KEYS[1])
local place = find_place(member, time, count, vote_score, max_lift, good_votes, max_ranked)
local has_moved = false
local function update(i, change)
  local before = redis.call('ZSCORE', KEYS[i], member)
  change(KEYS[i], place, has_domain)
  has_moved = has_moved or redis.call('ZSCORE', KEYS[i], member) ~= before
end
local function rescore(key)
  local stored = redis.call('ZSCORE', key, member)
  if stored and tonumber(stored) ~= place.points then
    rank(key, place.points, member)
  end
end
-- What a program after the book has stored (it writes no base) is in the other rankings once it got a vote here.
local function update_ours(i, change)
  if base or redis.call('ZSCORE', KEYS[i], member) then
    update(i, change)
  end
end
update(3, rescore)
update(4, rank_good)
update_ours(5, rank_best)
update_ours(6, rank_best)
update_ours(7, enter_domain)
for i = FIRST_GROUP_KEY, #KEYS, GROUP_KEYS do
  update(i + 2, rescore)
  if redis.call('SISMEMBER', KEYS[i], member) == 1 then
    update_ours(i + 3, rank_best)
  end
end
return { has_moved and 'moved' or 'same' }
