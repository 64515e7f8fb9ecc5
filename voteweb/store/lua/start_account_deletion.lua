-- Mark a member as gone: logged out everywhere, unable to log in; their articles follow step by step.
-- KEYS  1 user:<name>  2 leaving:  3 users:  4 admins:  5 signup:<name>  6 network:<digest>  7 held:
--       8 open-votes:<id>  9 ban-removals:  10 outbox:  11 mails:
-- ARGV  1 name in lower case  2 new session id  3 "keep" or "delete": what happens to the articles
--       4 the password hash that the caller verified
-- Answers  done (by this call or before) | changed (the hash is another by now) | last-admin
--          | unknown
local name, session_id, articles, verified = unpack(ARGV)
local id, left, password_hash, role, banned, until_time = unpack(
  redis.call('HMGET', KEYS[1], 'id', 'left', 'password', 'role', 'banned', 'banned-until'))
if not id then
  return { 'unknown' }
elseif left then
  return { 'done' }
elseif (password_hash or '') ~= verified then
  return { 'changed' }
end
check_types(2, 2, 'set')
check_types(3, 3, 'zset')
check_types(4, 4, 'set')
check_types(5, 5, 'string')
check_types(6, 8, 'zset')
check_types(9, 9, 'set')
check_types(10, 10, 'zset')
check_types(11, 11, 'hash')
if is_admin(role, banned, until_time) and is_last_admin(4, name) then
  return { 'last-admin' }
end
write_when_full(KEYS[1])
redis.call('HSET', KEYS[1], 'password', '', 'session', session_id, 'role', 'member', 'leaving', articles, 'left', now())
redis.call('SADD', KEYS[2], name)
redis.call('ZREM', KEYS[3], name)
set_admin(4, name, false)
redis.call('DEL', KEYS[5], KEYS[8])
redis.call('ZREM', KEYS[6], name)
redis.call('HDEL', KEYS[1], 'held', 'request', 'ban-removal', 'recovery', 'recovered', 'front',
  'email', 'email-pending', 'email-language')
remove_mails(10, 11, name)
redis.call('SREM', KEYS[9], name)
redis.call('ZREM', KEYS[7], name)
return { 'done' }
