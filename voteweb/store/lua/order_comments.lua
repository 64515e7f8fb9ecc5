-- Put a list of comments into another order, with comments that it lacked, unless it has changed since it was read.
-- KEYS  1 the list
-- ARGV  1 items that the list had when it was read  2 its first item  3 its last item  then its items from now on
-- Answers  ordered | again
local FIRST_ITEM, CHUNK = 4, 1000
local size, first, last = unpack(ARGV, 1, FIRST_ITEM - 1)
if redis.call('LLEN', KEYS[1]) ~= tonumber(size) or (redis.call('LINDEX', KEYS[1], 0) or '') ~= first
  or (redis.call('LINDEX', KEYS[1], -1) or '') ~= last then
  return { 'again' }
end
redis.call('DEL', KEYS[1])
for i = FIRST_ITEM, #ARGV, CHUNK do
  redis.call('RPUSH', KEYS[1], unpack(ARGV, i, math.min(i + CHUNK - 1, #ARGV)))
end
return { 'ordered' }
