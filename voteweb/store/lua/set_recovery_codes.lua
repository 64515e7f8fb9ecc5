-- Give a member recovery codes in place of those that they have. Accounts that are held can have some too.
-- KEYS  1 user:<name>  then the act's
-- ARGV  1-3 the act's (see acts.lua)  4 member id  5 session id
--       6 the digest of the key and those of the codes, separated by spaces
-- Answers  done (by this call or before) | logged-out (the session has ended, or the member is banned or gone)
local before = answer_before()
if before then
  return before
end
local member_id, session_id, digests = unpack(ARGV, 4)
local id, session, banned, until_time, left = unpack(
  redis.call('HMGET', KEYS[1], 'id', 'session', 'banned', 'banned-until', 'left'))
if id ~= member_id or session ~= session_id or left or is_banned(banned, until_time) then
  return { 'logged-out' }
end
write_when_full(KEYS[1])
redis.call('HSET', KEYS[1], 'recovery', digests)
return done({ 'done' })
