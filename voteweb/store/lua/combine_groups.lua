-- Build the ranking of the articles that are in all of several groups, unless it is kept.
-- The rankings of the site are kept for a time, up to a number of them; beyond it one is built for a single answer.
-- KEYS  1 the combined ranking  2 combined:  3 groups:  then the ranking of each group, all in one order
--       then, with a rate limit, limit:<kind>-<digest>
-- ARGV  1 the combined ranking as a member of combined:  2 seconds to keep it  3 how many rankings are kept at most
--       4 how many articles of the smallest group take part at most  5 position, from 0, of the first row to answer if
--       it is not kept  6 that of the last row  7 how many groups  then their names
--       then, with a rate limit: acts at once, and seconds per act in the long run
-- Answers  kept (it existed) | made | no-group (one of the names is no group's)
--          | unkept <number of articles> <whole or bounded> then the members of the rows
--          | rate-limited 1 <seconds to wait> <unix time from which it is accepted>
-- The ranking holds one marker below all articles: "whole" or "bounded", scored minus the unix time of its building.
-- With the marker, an empty intersection is kept too.
local FIRST_GROUP_KEY, FIRST_GROUP_NAME = 4, 8
-- A ranking that expires before the commands behind this script have read it is built again.
local MIN_MILLISECONDS_LEFT = 200
local member, seconds, max_kept, max_articles, first_row, last_row, group_count = unpack(ARGV)
seconds, max_articles, group_count = tonumber(seconds), tonumber(max_articles), tonumber(group_count)
if redis.call('PTTL', KEYS[1]) > MIN_MILLISECONDS_LEFT then
  return { 'kept' }
end
check_types(1, 2, 'zset')
check_types(3, 3, 'set')
local last_group_key = FIRST_GROUP_KEY + group_count - 1
check_types(FIRST_GROUP_KEY, last_group_key, 'zset')
check_types(last_group_key + 1, #KEYS, 'string')
local smallest, size
for i = 0, group_count - 1 do
  if redis.call('SISMEMBER', KEYS[3], ARGV[FIRST_GROUP_NAME + i]) == 0 then
    return { 'no-group' }
  end
  local count = redis.call('ZCARD', KEYS[FIRST_GROUP_KEY + i])
  if not size or count < size then
    smallest, size = FIRST_GROUP_KEY + i, count
  end
end
if size == 0 then
  return { 'unkept', '0', 'whole' }
end
local refusal = #KEYS > last_group_key and hit_rate_limits(last_group_key + 1, FIRST_GROUP_NAME + group_count)
if refusal then
  return refusal
end

local time = tonumber(now())
redis.call('UNLINK', KEYS[1]) -- after it a server whose memory is full does not refuse the others
redis.call('ZRANGESTORE', KEYS[1], KEYS[smallest], 0, max_articles - 1, 'REV')
local command = { 'ZINTERSTORE', KEYS[1], group_count + 1, KEYS[1] }
for i = FIRST_GROUP_KEY, last_group_key do
  command[#command + 1] = KEYS[i]
end
command[#command + 1] = 'AGGREGATE'
command[#command + 1] = 'MAX'
redis.call(unpack(command))
local marker = size > max_articles and 'bounded' or 'whole'
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', exact(time))
if redis.call('ZCARD', KEYS[2]) >= tonumber(max_kept) and not redis.call('ZSCORE', KEYS[2], member) then
  local total = string.format('%d', redis.call('ZCARD', KEYS[1]))
  local rows = redis.call('ZREVRANGE', KEYS[1], first_row, last_row)
  redis.call('UNLINK', KEYS[1])
  return { 'unkept', total, marker, unpack(rows) }
end
redis.call('ZADD', KEYS[1], exact(-time), marker)
redis.call('EXPIRE', KEYS[1], seconds)
redis.call('ZADD', KEYS[2], exact(time + seconds), member)
redis.call('EXPIRE', KEYS[2], seconds)
return { 'made' }
