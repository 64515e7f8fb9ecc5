-- Set the password hash of a member who has not left, if the present one is still that which the caller verified.
-- KEYS  1 user:<name>  then the act's
-- ARGV  1-3 the act's (see acts.lua)  4 "verified": only if the present hash is the next argument; "any": in any case
--       5 the verified hash, or empty  6 new hash  7 new session id, which ends all sessions; empty: they stay
-- Answers  done (by this call or before) | changed (the hash is another by now) | unknown
local before = answer_before()
if before then
  return before
end
local condition, verified, password_hash, session_id = unpack(ARGV, 4)
local id, left, stored = unpack(redis.call('HMGET', KEYS[1], 'id', 'left', 'password'))
if not id or left then
  return { 'unknown' }
elseif stored == password_hash then -- hashes are salted: no other call has set this one
  return { 'done' }
elseif condition == 'verified' and (stored or '') ~= verified then
  return { 'changed' }
end
write_when_full(KEYS[1])
redis.call('HSET', KEYS[1], 'password', password_hash)
if condition == 'any' then -- by the operator: whoever had the account before may have made recovery codes
  redis.call('HDEL', KEYS[1], 'recovery')
end
if session_id ~= '' then
  redis.call('HSET', KEYS[1], 'session', session_id)
end
return done({ 'done' })
