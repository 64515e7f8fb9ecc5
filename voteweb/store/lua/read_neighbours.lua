#!lua flags=no-writes
-- Read which members signed up from the network of a member, the newest first.
-- keys: signup:{name}
-- args: oldest size
-- oldest is the unix time of joining from which on; size how many.
-- Answers  the name of each in lower case, and when they joined; none once the network is forgotten
local digest = redis.call('GET', signup_key)
if not digest then
  return {}
end
local network_key = prefix .. 'network:' .. digest
return redis.call('ZRANGE', network_key, '+inf', oldest, 'BYSCORE', 'REV', 'LIMIT', 0, size, 'WITHSCORES')
