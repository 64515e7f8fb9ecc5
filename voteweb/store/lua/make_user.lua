-- Makes a member under an id that the caller took before; where an invitation is needed, uses it up.
-- KEYS  1 user:<name>  2 invite:<token>  3 user:<inviter> (of any token and member when none is needed)
--       then the log's
-- ARGV  1 number of the log's keys  2 log entry  3 whether an invitation is needed (0 or 1)  4 id  5 name
--       6 password hash, or empty  7 role  8 session word
-- Answers  made | taken <id> | no-invitation | inviter-gone (banned, or left)
local id = redis.call('HGET', KEYS[1], 'id')
if id then
  return { 'taken', id }
end
check(2, 3, 'hash')
check_log()
local invited_by = ''
if ARGV[3] == '1' then
  local by, ends, used, revoked = unpack(redis.call('HMGET', KEYS[2], 'by', 'until', 'used', 'revoked'))
  if not by or used or revoked or tonumber(now()) >= tonumber(ends) then
    return { 'no-invitation' }
  end
  local is_member, banned, left = unpack(redis.call('HMGET', KEYS[3], 'id', 'banned', 'left'))
  if not is_member or left or (banned or '0') ~= '0' then
    return { 'inviter-gone' }
  end
  invited_by = by
  redis.call('HSET', KEYS[2], 'used', ARGV[5])
end
redis.call('HSET', KEYS[1], 'id', ARGV[4], 'name', ARGV[5], 'password', ARGV[6], 'role', ARGV[7], 'since', now(),
  'session', ARGV[8])
if invited_by ~= '' then
  redis.call('HSET', KEYS[1], 'invited-by', invited_by)
end
record()
return { 'made', ARGV[4] }
