-- Takes a member out of a list that must not hold it, while what was seen of it still holds.
-- KEYS  1 the list, a set or a sorted set  2 the hash that says where the member belongs
-- ARGV  1 the member  2 the field of the hash that was looked at  3 what it held; empty for nothing
-- Answers  mended | sound | again (the field holds something else by now)
if (redis.call('HGET', KEYS[2], ARGV[2]) or '') ~= ARGV[3] then
  return { 'again' }
end
local is_set = redis.call('TYPE', KEYS[1]).ok == 'set'
return { redis.call(is_set and 'SREM' or 'ZREM', KEYS[1], ARGV[1]) == 1 and 'mended' or 'sound' }
