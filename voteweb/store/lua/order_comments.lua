-- Put a list of comments into another order, with comments that it lacked, unless it has changed since it was read.
-- KEYS  1 the list  2 ordering:<token>, its items from now on
-- ARGV  1 items that the list had when it was read  2 its first item  3 its last item  4 the number of KEYS[2]: one that
--       was sent twice, because an answer was lost, has more
-- Answers  ordered | again
local size, first, last, new_size = unpack(ARGV)
if redis.call('LLEN', KEYS[1]) ~= tonumber(size) or (redis.call('LINDEX', KEYS[1], 0) or '') ~= first
  or (redis.call('LINDEX', KEYS[1], -1) or '') ~= last or redis.call('LLEN', KEYS[2]) ~= tonumber(new_size) then
  return { 'again' }
end
redis.call('RENAME', KEYS[2], KEYS[1])
redis.call('PERSIST', KEYS[1])
return { 'ordered' }
