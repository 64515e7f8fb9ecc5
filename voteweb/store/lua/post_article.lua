-- Post an article under an id that the caller has reserved.
-- KEYS  1 article:<id>  2 voted:<id>  3 time:  4 score:  5 good:  6 posted:<poster>  7 once:<member>-<token>
--       8 groups:  9 link:<digest>  10 user:<poster>  then for each group three: group:<g> time:<g> score:<g>
-- ARGV  1 the article as a member of rankings  2 title  3 link  4 text  5 poster's name  6 poster's id
--       7 own vote (0 or 1)  8 seconds per vote  9 votes of a good article
--       10 seconds from posting until the set of voters expires  11 seconds to remember the form
--       12 seconds a link is remembered  13 whether to post a link that was posted within them (0 or 1)
--       then the groups' names
-- Answers  posted <article> | posted-before <article> (this form was sent before) | taken (the id is another's)
--          | no-group <names> | logged-out (the poster has left or is banned)
--          | duplicate <article> (the newest with this link), each article as a member of rankings
local member, title, link, text, poster, poster_id, own_vote, vote_score, good_votes, voters_seconds, form_seconds,
  link_seconds, allow_duplicate = unpack(ARGV)
local FIRST_GROUP_KEY, FIRST_GROUP_NAME = 11, 14
local before = redis.call('GET', KEYS[7])
if before then
  return { 'posted-before', before }
end
if redis.call('EXISTS', KEYS[1]) == 1 then
  return { 'taken' }
end
check_types(2, 2, 'set')
check_types(3, 6, 'zset')
check_types(8, 8, 'set')
check_types(9, 9, 'zset')
check_groups(FIRST_GROUP_NAME, FIRST_GROUP_KEY)
local left, banned = unpack(redis.call('HMGET', KEYS[10], 'left', 'banned'))
if left or (banned or '0') ~= '0' then
  return { 'logged-out' }
end
local names, unknown = {}, {}
for i = FIRST_GROUP_NAME, #ARGV do
  names[#names + 1] = ARGV[i]
  if redis.call('SISMEMBER', KEYS[8], ARGV[i]) == 0 then
    unknown[#unknown + 1] = ARGV[i]
  end
end
if #unknown > 0 then
  return { 'no-group', table.concat(unknown, ' ') }
end
local posted = first_free_time(KEYS[3], now())
local time = tonumber(posted)
if link ~= '' and allow_duplicate == '0' then
  local oldest = '(' .. exact(time - tonumber(link_seconds))
  local newest = redis.call('ZREVRANGEBYSCORE', KEYS[9], '+inf', oldest, 'LIMIT', 0, 1)
  if newest[1] then
    return { 'duplicate', newest[1] }
  end
end
local votes = tonumber(own_vote)
local points = score(time, votes, tonumber(vote_score))

redis.call('HSET', KEYS[1], 'title', title, 'link', link, 'text', text, 'poster', poster, 'time', posted,
  'votes', string.format('%d', votes), 'base', string.format('%d', votes - 1), 'groups', table.concat(names, ' '))
redis.call('SADD', KEYS[2], poster_id)
redis.call('EXPIREAT', KEYS[2], string.format('%d', math.ceil(time + tonumber(voters_seconds))))
rank(KEYS[3], time, member)
rank(KEYS[4], points, member)
rank_good(KEYS[5], votes, tonumber(good_votes), time, member)
rank(KEYS[6], time, member)
redis.call('SET', KEYS[7], member, 'EX', form_seconds)
if link ~= '' then
  remember_link(KEYS[9], time, tonumber(link_seconds), member)
end
for i = 1, #names do
  enter_group(FIRST_GROUP_KEY + 3 * (i - 1), time, points, member)
end
return { 'posted', member }
