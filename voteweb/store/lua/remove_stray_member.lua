-- Take a member out of a set or ranking that must not hold it, unless what the caller saw of it has changed.
-- KEYS  1 the set or sorted set  2 the hash that says where the member belongs
-- ARGV  1 the member  2 the field of the hash that the caller read  3 its value then; empty if it was missing
-- Answers  repaired | unchanged | again (the field has another value now)
local member, field, value = unpack(ARGV)
if (redis.call('HGET', KEYS[2], field) or '') ~= value then
  return { 'again' }
end
local is_set = redis.call('TYPE', KEYS[1]).ok == 'set'
return { redis.call(is_set and 'SREM' or 'ZREM', KEYS[1], member) == 1 and 'repaired' or 'unchanged' }
