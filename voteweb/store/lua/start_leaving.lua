-- Marks a member as leaving: signed out everywhere, unable to come back; the articles follow step by step.
-- KEYS  1 user:<name>  2 leaving:
-- ARGV  1 name in lower case  2 session word  3 "keep" or "delete": what becomes of the articles
-- Answers  done (by this call or before) | unknown
local id, left = unpack(redis.call('HMGET', KEYS[1], 'id', 'left'))
if not id then
  return { 'unknown' }
elseif left then
  return { 'done' }
end
check(2, 2, 'set')
redis.call('HSET', KEYS[1], 'password', '', 'session', ARGV[2], 'role', 'member', 'leaving', ARGV[3], 'left', now())
redis.call('SADD', KEYS[2], ARGV[1])
return { 'done' }
