-- Import one article from elsewhere, unless the same row was imported before.
-- KEYS  1 article:<id>  2 voted:<id>  3-8 rankings of the site  9 posted:<poster>  10 imported:<bucket>
--       11 link:<digest>  12 changes:  then for each group its four keys;  last user:<poster>
-- ARGV  1 the article as a member of rankings  2 title  3 link  4 text  5 poster's name  6 poster's id  7 unix time
--       8 votes  9 seconds per vote  10-12 the other ranking arguments  13 the day of KEYS[7]
--       14 whether the link has a domain (0 or 1)  15 voting seconds  16 seconds that the set of voters outlives them
--       17 the row's fingerprint in its bucket  18 seconds a link is remembered
--       19 what replaces the name of a poster who has left  then the groups' names
-- Answers  imported | known | taken (the id is another's) | again <unix time> (name the day of this time)
-- While voting is open the poster is a voter, as with any article, and the other votes are the base.
local member, title, link, text, poster, poster_id, wanted_time, votes, vote_score, max_lift, good_votes, max_ranked, day,
  has_domain, voting_seconds, grace, row, link_seconds, replacement = unpack(ARGV)
local FIRST_GROUP_KEY, FIRST_GROUP_NAME = 13, 20
if redis.call('SISMEMBER', KEYS[10], row) == 1 then
  return { 'known' }
elseif redis.call('EXISTS', KEYS[1]) == 1 then
  return { 'taken' }
end
check_types(2, 2, 'set')
check_types(3, 9, 'zset')
check_types(11, 11, 'zset')
check_types(12, 12, 'stream')
check_types(#KEYS, #KEYS, 'hash')
check_groups(FIRST_GROUP_NAME, FIRST_GROUP_KEY)
local posted = first_free_time(KEYS[3], string.format('%.6f', tonumber(wanted_time)))
local time = finite(posted)
if day_of(time) ~= day then
  return { 'again', posted }
end
votes = assert(finite(votes), 'votes is no number')
local place = find_place(member, time, votes, vote_score, max_lift, good_votes, max_ranked)
local closes = voting_end(nil, time, 'voting-seconds', voting_seconds)
local base = votes
-- The deletion of an account has gone through its articles once: none may come under the name after that.
local has_left = redis.call('HEXISTS', KEYS[#KEYS], 'left') == 1

collect_in_small_steps()
if tonumber(now()) < closes and not has_left then
  base = votes - 1
  redis.call('SADD', KEYS[2], poster_id)
  redis.call('EXPIREAT', KEYS[2], string.format('%d', closes + tonumber(grace)))
end
redis.call('HSET', KEYS[1], 'title', title, 'link', link, 'poster', has_left and replacement or poster,
  'time', posted,
  'votes', string.format('%d', votes), 'base', string.format('%d', base), 'closes', string.format('%d', closes),
  'groups', table.concat(ARGV, ' ', FIRST_GROUP_NAME))
if text ~= '' then
  redis.call('HSET', KEYS[1], 'text', text)
end
enter_site(3, place, has_domain)
if not has_left then
  rank(KEYS[9], time, member)
end
if link ~= '' and tonumber(now()) < time + tonumber(link_seconds) then
  remember_link(KEYS[11], time, tonumber(link_seconds), member)
end
enter_groups(FIRST_GROUP_NAME, FIRST_GROUP_KEY, place)
redis.call('SADD', KEYS[10], row)
record_change(KEYS[12], 'a', member)
return { 'imported' }
