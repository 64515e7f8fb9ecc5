-- Set a member's password by a recovery code, which ends all sessions and uses the code up.
-- KEYS  1 user:<name>
-- ARGV  1 member id  2 the digest of the code  3 new password hash  4 new session id
-- Answers  done <codes left> (by this call or before) | unknown (the code is none of the member's, or was used)
--          | banned
local member_id, digest, password_hash, session_id = unpack(ARGV)
local id, left, stored, password, banned, until_time = unpack(
  redis.call('HMGET', KEYS[1], 'id', 'left', 'recovery', 'password', 'banned', 'banned-until'))
local remaining, count, is_known, is_first = {}, 0, false, true
for word in string.gmatch(stored or '', '%S+') do
  if word == digest and not is_first then -- the first is the digest of the key
    is_known = true
  else
    remaining[#remaining + 1] = word
    count = is_first and 0 or count + 1
  end
  is_first = false
end
if id ~= member_id or left then
  return { 'unknown' }
elseif password == password_hash then -- hashes are salted: no other call has set this one
  return { 'done', tostring(count) }
elseif not is_known then
  return { 'unknown' }
elseif is_banned(banned, until_time) then
  return { 'banned' }
end
write_when_full(KEYS[1])
redis.call('HSET', KEYS[1], 'recovery', table.concat(remaining, ' '), 'recovered', now(), 'password', password_hash,
  'session', session_id)
return { 'done', tostring(count) }
