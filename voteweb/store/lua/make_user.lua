-- Create a member under the next free id; if an invitation is needed, use it up.
-- KEYS  1 user:<name>  2 invite:<digest>  3 user:<inviter> (of any digest and member when none is needed)  4 user:
--       5 users:  6 admins:  7 signup:<name>  8 network:<digest>  9 held:  then the act's
-- ARGV  1-3 the act's (see acts.lua)  4 whether an invitation is needed (0 or 1)  5 name
--       6 name in lower case  7 password hash, or empty  8 role  9 session id
--       10 whether the member signs up on the site (0 or 1)  11 the digest of the network they sign up from, or empty
--       12 seconds for which it is kept  13 what they wrote to the moderators, who must let them in, or empty
-- Answers  made <id> <session id> | taken <id> <session id> | no-invitation | inviter-gone (banned, or left)
local before = answer_before()
if before then
  return before
end
local needs_invitation, name, lower_name, password_hash, role, session_id, signs_up, network,
  network_seconds, request = unpack(ARGV, 4)
local id, session = unpack(redis.call('HMGET', KEYS[1], 'id', 'session'))
if id then
  return { 'taken', id, session or '' }
end
check_types(2, 3, 'hash')
check_types(4, 4, 'string')
check_types(5, 5, 'zset')
check_types(6, 6, 'set')
check_types(7, 7, 'string')
check_types(8, 9, 'zset')
check_log()
local invited_by = ''
if needs_invitation == '1' then
  local by, expires, used, revoked = unpack(redis.call('HMGET', KEYS[2], 'by', 'until', 'used', 'revoked'))
  if not by or used or revoked or tonumber(now()) >= tonumber(expires) then
    return { 'no-invitation' }
  end
  local inviter_id, banned, until_time, left = unpack(
    redis.call('HMGET', KEYS[3], 'id', 'banned', 'banned-until', 'left'))
  if not inviter_id or left or is_banned(banned, until_time) then
    return { 'inviter-gone' }
  end
  invited_by = by
end
id = string.format('%d', redis.call('INCR', KEYS[4]))
local since = now()
redis.call('HSET', KEYS[1], 'id', id, 'name', name, 'password', password_hash, 'role', role, 'since', since,
  'session', session_id)
rank(KEYS[5], tonumber(since), lower_name)
set_admin(6, lower_name, role == 'admin')
if invited_by ~= '' then
  redis.call('HSET', KEYS[1], 'invited-by', invited_by)
  redis.call('HSET', KEYS[2], 'used', name)
end
if signs_up == '1' then
  redis.call('HSET', KEYS[1], 'signed-up', since)
end
if request ~= '' then
  redis.call('HSET', KEYS[1], 'held', since, 'request', request)
  rank(KEYS[9], tonumber(since), lower_name)
end
if network ~= '' then
  redis.call('SET', KEYS[7], network, 'EX', network_seconds)
  redis.call('ZREMRANGEBYSCORE', KEYS[8], '-inf', exact(tonumber(since) - tonumber(network_seconds)))
  redis.call('ZADD', KEYS[8], since, lower_name)
  redis.call('EXPIRE', KEYS[8], network_seconds)
end
write_log_entry()
return done({ 'made', id, session_id })
