-- Take the secret address of a feed off a member to whom it does not lead.
-- KEYS  1 user:<name>  2 inbox-feed:<digest> or saved-feed:<digest>
-- ARGV  1 digest  2 the name in lower case  3 the field with the digest
-- Answers  repaired | unchanged (the member has another address by now, or it leads to the member)
local digest, name, field = unpack(ARGV)
if redis.call('HGET', KEYS[1], field) ~= digest or redis.call('GET', KEYS[2]) == name then
  return { 'unchanged' }
end
redis.call('HDEL', KEYS[1], field)
return { 'repaired' }
