-- Admit a member whose account is held, or refuse them: like a ban, with a reason that the member can read.
-- A member who was refused can be let in later.
-- KEYS  1 user:<name>  2 held:  then the act's, then the actor's (see acts.lua)
-- ARGV  1-3 the act's (see acts.lua)  4 "admit" or "refuse"  5 name in lower case  6 reason of a refusal
--       7 new session id  then the actor's
-- Answers  done | same (the account is not held, or refused already) | unknown | logged-out | forbidden | held
local answer = begin_act()
if answer then
  return answer
end
local verdict, name, reason, session_id = unpack(ARGV, 4)
local id, left, held, banned = unpack(redis.call('HMGET', KEYS[1], 'id', 'left', 'held', 'banned'))
if not id or left then
  return { 'unknown' }
elseif not held or (verdict == 'refuse' and (banned or '0') ~= '0') then
  return { 'same' }
end
check_types(2, 2, 'zset')
check_log()
write_when_full(KEYS[1])
if verdict == 'admit' then
  redis.call('HDEL', KEYS[1], 'held', 'request')
  redis.call('HSET', KEYS[1], 'banned', '0', 'ban-reason', '')
else
  redis.call('HSET', KEYS[1], 'banned', string.format('%d', tonumber(now())), 'ban-reason', reason,
    'session', session_id)
end
redis.call('ZREM', KEYS[2], name)
write_log_entry()
return done({ 'done' })
