-- Build the ranking of the articles that are in all of several groups, unless it exists.
-- KEYS  1 the combined ranking  then the rankings of the groups, all in one order
-- ARGV  1 seconds to keep it  2 how many articles of the smallest ranking take part at most
-- Answers  kept (it existed) | made
-- The ranking holds one marker below all articles: "whole" or "bounded", scored minus the unix time of its building.
-- With the marker, an empty intersection is kept too.
local seconds, max_articles = ARGV[1], tonumber(ARGV[2])
if redis.call('EXISTS', KEYS[1]) == 1 then
  return { 'kept' }
end
check_types(2, #KEYS, 'zset')
local smallest, size = 2, redis.call('ZCARD', KEYS[2])
for i = 3, #KEYS do
  local count = redis.call('ZCARD', KEYS[i])
  if count < size then
    smallest, size = i, count
  end
end
local first = redis.call('ZREVRANGE', KEYS[smallest], 0, max_articles - 1, 'WITHSCORES')
-- unpack takes some thousands of values only, hence chunks.
for i = 1, #first, 500 do
  local scored = {}
  for j = i, math.min(i + 499, #first), 2 do
    scored[#scored + 1] = first[j + 1]
    scored[#scored + 1] = first[j]
  end
  redis.call('ZADD', KEYS[1], unpack(scored))
end
if size > 0 then
  local command = { 'ZINTERSTORE', KEYS[1], #KEYS }
  for i = 1, #KEYS do
    command[#command + 1] = KEYS[i]
  end
  command[#command + 1] = 'AGGREGATE'
  command[#command + 1] = 'MAX'
  redis.call(unpack(command))
end
redis.call('ZADD', KEYS[1], exact(-tonumber(now())), size > max_articles and 'bounded' or 'whole')
redis.call('EXPIRE', KEYS[1], seconds)
return { 'made' }
