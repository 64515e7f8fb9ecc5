-- Mark a member as gone: logged out everywhere, unable to log in; their articles follow step by step.
-- KEYS  1 user:<name>  2 leaving:
-- ARGV  1 name in lower case  2 new session id  3 "keep" or "delete": what happens to the articles
-- Answers  done (by this call or before) | unknown
local name, session_id, articles = unpack(ARGV)
local id, left = unpack(redis.call('HMGET', KEYS[1], 'id', 'left'))
if not id then
  return { 'unknown' }
elseif left then
  return { 'done' }
end
check_types(2, 2, 'set')
redis.call('HSET', KEYS[1], 'password', '', 'session', session_id, 'role', 'member', 'leaving', articles, 'left', now())
redis.call('SADD', KEYS[2], name)
return { 'done' }
