-- Makes a member under the next free id; where an invitation is needed, uses it up.
-- KEYS  1 user:<name>  2 invite:<token>  3 user:<inviter> (of any token and member when none is needed)  4 user:
--       then the log's
-- ARGV  1 number of the log's keys  2 log entry  3 whether an invitation is needed (0 or 1)  4 name
--       5 password hash, or empty  6 role  7 session word
-- Answers  made <id> <session word> | taken <id> <session word> | no-invitation
--          | inviter-gone (banned, or left)
local id, session = unpack(redis.call('HMGET', KEYS[1], 'id', 'session'))
if id then
  return { 'taken', id, session or '' }
end
check(2, 3, 'hash')
check(4, 4, 'string')
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
  redis.call('HSET', KEYS[2], 'used', ARGV[4])
end
id = string.format('%d', redis.call('INCR', KEYS[4]))
redis.call('HSET', KEYS[1], 'id', id, 'name', ARGV[4], 'password', ARGV[5], 'role', ARGV[6], 'since', now(),
  'session', ARGV[7])
if invited_by ~= '' then
  redis.call('HSET', KEYS[1], 'invited-by', invited_by)
end
record()
return { 'made', id, ARGV[7] }
