-- Sets fields of a member who is there.
-- KEYS  1 user:<name>
-- ARGV  field, value, and so on
-- Answers  done | unknown
if redis.call('HEXISTS', KEYS[1], 'id') == 0 then
  return { 'unknown' }
end
redis.call('HSET', KEYS[1], unpack(ARGV))
return { 'done' }
