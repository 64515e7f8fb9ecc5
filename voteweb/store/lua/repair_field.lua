-- Set a field of a hash, unless it has changed since the caller read it, or the hash has gone.
-- KEYS  1 the hash
-- ARGV  1 the field  2 its value then; empty if it was missing  3 its new value
-- Answers  repaired | unchanged | again (the field has another value now)
local field, before, value = unpack(ARGV)
local stored = redis.call('HGET', KEYS[1], field)
if stored == value or redis.call('EXISTS', KEYS[1]) == 0 then
  return { 'unchanged' }
elseif (stored or '') ~= before then
  return { 'again' }
end
redis.call('HSET', KEYS[1], field, value)
return { 'repaired' }
