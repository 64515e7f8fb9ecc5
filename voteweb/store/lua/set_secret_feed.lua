-- Give a feed that only one member knows another secret address, or none.
-- KEYS  1 user:<name>  2 inbox-feed:<digest that the caller read>  3 inbox-feed:<new digest>  then the act's, then the
--       actor's; or saved-feed:
-- ARGV  1-3 the act's (see acts.lua)  4 the field with the digest  5 the name in lower case
--       6 the digest that the caller read, or empty  7 the new digest, or empty for no feed  then the actor's
-- Answers  done (by this call or before) | again <digest> (the feed has another address by now) | logged-out | held
--          | forbidden
local answer = begin_act()
if answer then
  return answer
end
local field, name, known, digest = unpack(ARGV, 4)
local stored = redis.call('HGET', KEYS[1], field) or ''
if stored ~= known then
  return { 'again', stored }
end
check_types(2, 3, 'string')
write_when_full(KEYS[1])
if known ~= '' then
  redis.call('DEL', KEYS[2])
end
if digest ~= '' then
  redis.call('HSET', KEYS[1], field, digest)
  redis.call('SET', KEYS[3], name)
else
  redis.call('HDEL', KEYS[1], field)
end
return done({ 'done' })
