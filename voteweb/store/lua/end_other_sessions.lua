-- End all sessions of a member but one, under a new session id of the member.
-- KEYS  1 user:<name>  2 sessions:<name>
-- ARGV  1 the member's session id as the cookie has it  2 digest of the session that stays  3 new session id
--       4 seconds until a session that is not used ends  5 seconds until any ends
-- Answers  done (by this call or before) | logged-out (the session that was to stay has ended)
local member_session, digest, new_session, idle, longest = unpack(ARGV)
local session, banned, until_time, left = unpack(
  redis.call('HMGET', KEYS[1], 'session', 'banned', 'banned-until', 'left'))
if session == new_session then
  return { 'done' }
end
local value = find_session(2, member_session, digest, idle, longest, longest)
if session ~= member_session or is_banned(banned, until_time) or left or not value then
  return { 'logged-out' }
end
write_when_full(KEYS[1])
redis.call('HSET', KEYS[1], 'session', new_session)
redis.call('DEL', KEYS[2])
redis.call('HSET', KEYS[2], 'of', new_session, digest, value)
keep_sessions(2, session_end(value, idle, longest))
return { 'done' }
