-- Set a member's password by a one-time link, which ends all sessions and uses the link up. No recovery code is left:
-- whoever had the account before may have made them.
-- KEYS  1 reset:<digest>  2 user:<name>
-- ARGV  1 the value of the link  2 the password hash for which it was made  3 new password hash  4 new session id
--       5 the address to which it was mailed, "" for another link
-- Answers  done (by this call or before) | unknown (there is no such link, it was used, the password or the address
--          has changed, or the member has left)
local link, known_hash, password_hash, session_id, address = unpack(ARGV)
local id, left, stored, email = unpack(redis.call('HMGET', KEYS[2], 'id', 'left', 'password', 'email'))
if stored == password_hash then -- hashes are salted: no other call has set this one
  return { 'done' }
elseif redis.call('GET', KEYS[1]) ~= link or not id or left or (stored or '') ~= known_hash then
  return { 'unknown' }
elseif address ~= '' and address ~= email then
  return { 'unknown' }
end
write_when_full(KEYS[2])
redis.call('HSET', KEYS[2], 'password', password_hash, 'session', session_id)
redis.call('HDEL', KEYS[2], 'recovery')
redis.call('DEL', KEYS[1])
return { 'done' }
