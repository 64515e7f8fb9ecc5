-- Gives a member a new password by a one-time link, which ends all sessions and uses the link up.
-- KEYS  1 reset:<digest>  2 user:<name>
-- ARGV  1 name in lower case as the link says  2 password hash  3 session word
-- Answers  done | unknown (no such link, it was used, or the member has left)
local id, left = unpack(redis.call('HMGET', KEYS[2], 'id', 'left'))
if redis.call('GET', KEYS[1]) ~= ARGV[1] or not id or left then
  return { 'unknown' }
end
redis.call('HSET', KEYS[2], 'password', ARGV[2], 'session', ARGV[3])
redis.call('DEL', KEYS[1])
return { 'done' }
