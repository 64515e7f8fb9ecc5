-- Makes the ranking of the articles that are in all of several groups, unless it is there already.
-- KEYS  1 the combined ranking  then the rankings of the groups, all of one order
-- ARGV  1 seconds to keep it  2 how many articles of the smallest ranking take part at most
-- Answers  kept (it was there) | made
-- The ranking holds one mark below all articles: "whole" or "bounded", its score minus the unix time of making.
-- With the mark an empty intersection is kept too.
if redis.call('EXISTS', KEYS[1]) == 1 then
  return { 'kept' }
end
check(2, #KEYS, 'zset')
local smallest, size = 2, redis.call('ZCARD', KEYS[2])
for i = 3, #KEYS do
  local count = redis.call('ZCARD', KEYS[i])
  if count < size then
    smallest, size = i, count
  end
end
local most = tonumber(ARGV[2])
local first = redis.call('ZREVRANGE', KEYS[smallest], 0, most - 1, 'WITHSCORES')
-- unpack can carry some thousands of values only, hence pieces.
for i = 1, #first, 500 do
  local pairs_of = {}
  for j = i, math.min(i + 499, #first), 2 do
    pairs_of[#pairs_of + 1] = first[j + 1]
    pairs_of[#pairs_of + 1] = first[j]
  end
  redis.call('ZADD', KEYS[1], unpack(pairs_of))
end
if size > 0 then
  local words = { 'ZINTERSTORE', KEYS[1], #KEYS }
  for i = 1, #KEYS do
    words[#words + 1] = KEYS[i]
  end
  words[#words + 1] = 'AGGREGATE'
  words[#words + 1] = 'MAX'
  redis.call(unpack(words))
end
redis.call('ZADD', KEYS[1], exact(-tonumber(now())), size > most and 'bounded' or 'whole')
redis.call('EXPIRE', KEYS[1], ARGV[1])
return { 'made' }
