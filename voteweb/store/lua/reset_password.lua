-- Set a member's password by a one-time link, which ends all sessions and uses the link up.
-- KEYS  1 reset:<digest>  2 user:<name>
-- ARGV  1 name in lower case as the link says  2 password hash  3 new session id
-- Answers  done | unknown (there is no such link, it was used, or the member has left)
local name, password_hash, session_id = unpack(ARGV)
local id, left = unpack(redis.call('HMGET', KEYS[2], 'id', 'left'))
if redis.call('GET', KEYS[1]) ~= name or not id or left then
  return { 'unknown' }
end
redis.call('HSET', KEYS[2], 'password', password_hash, 'session', session_id)
redis.call('DEL', KEYS[1])
return { 'done' }
