-- Take the address of a feed of an inbox off a member to whom it does not lead.
-- KEYS  1 user:<name>  2 inbox-feed:<digest>
-- ARGV  1 digest  2 the name in lower case
-- Answers  repaired | unchanged (the member has another address by now, or it leads to the member)
local digest, name = unpack(ARGV)
if redis.call('HGET', KEYS[1], 'inbox-feed') ~= digest or redis.call('GET', KEYS[2]) == name then
  return { 'unchanged' }
end
redis.call('HDEL', KEYS[1], 'inbox-feed')
return { 'repaired' }
