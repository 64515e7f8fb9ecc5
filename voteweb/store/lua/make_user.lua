-- Create a member under the next free id; if an invitation is needed, use it up.
-- KEYS  1 user:<name>  2 invite:<token>  3 user:<inviter> (of any token and member when none is needed)  4 user:
--       then the log's
-- ARGV  1-3 the log's (see common.lua)  4 whether an invitation is needed (0 or 1)  5 name
--       6 password hash, or empty  7 role  8 session id
-- Answers  made <id> <session id> | taken <id> <session id> | no-invitation | inviter-gone (banned, or left)
local needs_invitation, name, password_hash, role, session_id = unpack(ARGV, 4)
local id, session = unpack(redis.call('HMGET', KEYS[1], 'id', 'session'))
if id then
  return { 'taken', id, session or '' }
end
check_types(2, 3, 'hash')
check_types(4, 4, 'string')
check_log()
local invited_by = ''
if needs_invitation == '1' then
  local by, expires, used, revoked = unpack(redis.call('HMGET', KEYS[2], 'by', 'until', 'used', 'revoked'))
  if not by or used or revoked or tonumber(now()) >= tonumber(expires) then
    return { 'no-invitation' }
  end
  local inviter_id, banned, left = unpack(redis.call('HMGET', KEYS[3], 'id', 'banned', 'left'))
  if not inviter_id or left or (banned or '0') ~= '0' then
    return { 'inviter-gone' }
  end
  invited_by = by
  redis.call('HSET', KEYS[2], 'used', name)
end
id = string.format('%d', redis.call('INCR', KEYS[4]))
redis.call('HSET', KEYS[1], 'id', id, 'name', name, 'password', password_hash, 'role', role, 'since', now(),
  'session', session_id)
if invited_by ~= '' then
  redis.call('HSET', KEYS[1], 'invited-by', invited_by)
end
write_log_entry()
return { 'made', id, session_id }
