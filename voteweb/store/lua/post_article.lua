-- Posts an article under an id that the caller took before.
-- KEYS  1 article:<id>  2 voted:<id>  3 time:  4 score:  5 good:  6 posted:<poster>  7 once:<member>-<token>
--       8 groups:  9 link:<digest>  10 user:<poster>  then for each group three: group:<g> time:<g> score:<g>
-- ARGV  1 title  2 link  3 text  4 poster's name  5 poster's id  6 own vote (0 or 1)  7 seconds per vote
--       8 votes of a good article  9 seconds from posting until the voters expire  10 seconds to remember the form
--       11 seconds a link is remembered  12 whether to post a link that was posted within them (0 or 1)
--       then the groups' names
-- Answers  posted <article key> | again <article key> (this form was posted before) | taken (the id is another's)
--          | no-group <names> | out (the poster has left or is banned)
--          | duplicate <article key> (the newest with this link)
local before = redis.call('GET', KEYS[7])
if before then
  return { 'again', before }
end
if redis.call('EXISTS', KEYS[1]) == 1 then
  return { 'taken' }
end
check(2, 2, 'set')
check(3, 6, 'zset')
check(8, 8, 'set')
check(9, 9, 'zset')
check_groups(13, 11)
local left, banned = unpack(redis.call('HMGET', KEYS[10], 'left', 'banned'))
if left or (banned or '0') ~= '0' then
  return { 'out' }
end
local names, missing = {}, {}
for i = 13, #ARGV do
  names[#names + 1] = ARGV[i]
  if redis.call('SISMEMBER', KEYS[8], ARGV[i]) == 0 then
    missing[#missing + 1] = ARGV[i]
  end
end
if #missing > 0 then
  return { 'no-group', table.concat(missing, ' ') }
end
local posted = free_time(KEYS[3], now())
local time = tonumber(posted)
if ARGV[2] ~= '' and ARGV[12] == '0' then
  local newest = redis.call('ZREVRANGEBYSCORE', KEYS[9], '+inf', '(' .. exact(time - tonumber(ARGV[11])), 'LIMIT', 0, 1)
  if newest[1] then
    return { 'duplicate', newest[1] }
  end
end
local votes = tonumber(ARGV[6])
local points = time + votes * tonumber(ARGV[7])

redis.call('HSET', KEYS[1], 'title', ARGV[1], 'link', ARGV[2], 'text', ARGV[3], 'poster', ARGV[4], 'time', posted,
  'votes', string.format('%d', votes), 'base', string.format('%d', votes - 1), 'groups', table.concat(names, ' '))
redis.call('SADD', KEYS[2], ARGV[5])
redis.call('EXPIREAT', KEYS[2], string.format('%d', math.ceil(time + tonumber(ARGV[9]))))
rank(KEYS[3], time, KEYS[1])
rank(KEYS[4], points, KEYS[1])
rank_good(KEYS[5], votes, tonumber(ARGV[8]), time, KEYS[1])
rank(KEYS[6], time, KEYS[1])
redis.call('SET', KEYS[7], KEYS[1], 'EX', ARGV[10])
if ARGV[2] ~= '' then
  remember_link(KEYS[9], time, tonumber(ARGV[11]), KEYS[1])
end
for i = 1, #names do
  enter_group(11 + 3 * (i - 1), time, points, KEYS[1])
end
return { 'posted', KEYS[1] }
