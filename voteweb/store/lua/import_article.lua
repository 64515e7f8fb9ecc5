-- Import one article from elsewhere, unless the same row was imported before.
-- KEYS  1 article:<id>  2 voted:<id>  3 time:  4 score:  5 good:  6 posted:<poster>
--       7 imported:<bucket>  8 link:<digest>  then for each group three: group:<g> time:<g> score:<g>;
--       last user:<poster>
-- ARGV  1 the article as a member of rankings  2 title  3 link  4 text  5 poster's name  6 poster's id  7 unix time
--       8 votes  9 seconds per vote  10 votes of a good article  11 voting seconds
--       12 seconds that the set of voters outlives them  13 the row's fingerprint in its bucket  14 seconds a link is remembered
--       15 what replaces the name of a poster who has left  then the groups' names
-- Answers  imported | known | taken (the id is another's)
-- While voting is open the poster is a voter, as with any article, and the other votes are the base.
local member, title, link, text, poster, poster_id, wanted_time, votes, vote_score, good_votes, voting_seconds, grace,
  row, link_seconds, replacement = unpack(ARGV)
local FIRST_GROUP_KEY, FIRST_GROUP_NAME = 9, 16
if redis.call('SISMEMBER', KEYS[7], row) == 1 then
  return { 'known' }
elseif redis.call('EXISTS', KEYS[1]) == 1 then
  return { 'taken' }
end
check_types(2, 2, 'set')
check_types(3, 6, 'zset')
check_types(8, 8, 'zset')
check_types(#KEYS, #KEYS, 'hash')
check_groups(FIRST_GROUP_NAME, FIRST_GROUP_KEY)
local posted = first_free_time(KEYS[3], string.format('%.6f', tonumber(wanted_time)))
local time = finite(posted)
votes = assert(finite(votes), 'votes is no number')
local points = score(time, votes, tonumber(vote_score))
local closes = voting_end(nil, time, voting_seconds)
local base = votes
-- The deletion of an account has gone through its articles once: none may come under the name after that.
local has_left = redis.call('HEXISTS', KEYS[#KEYS], 'left') == 1

if tonumber(now()) < closes and not has_left then
  base = votes - 1
  redis.call('SADD', KEYS[2], poster_id)
  redis.call('EXPIREAT', KEYS[2], string.format('%d', closes + tonumber(grace)))
end
redis.call('HSET', KEYS[1], 'title', title, 'link', link, 'text', text, 'poster', has_left and replacement or poster,
  'time', posted,
  'votes', string.format('%d', votes), 'base', string.format('%d', base), 'closes', string.format('%d', closes),
  'groups', table.concat(ARGV, ' ', FIRST_GROUP_NAME))
rank(KEYS[3], time, member)
rank(KEYS[4], points, member)
rank_good(KEYS[5], votes, tonumber(good_votes), time, member)
if not has_left then
  rank(KEYS[6], time, member)
end
if link ~= '' and tonumber(now()) < time + tonumber(link_seconds) then
  remember_link(KEYS[8], time, tonumber(link_seconds), member)
end
for i = FIRST_GROUP_NAME, #ARGV do
  enter_group(FIRST_GROUP_KEY + 3 * (i - FIRST_GROUP_NAME), time, points, member)
end
redis.call('SADD', KEYS[7], row)
return { 'imported' }
