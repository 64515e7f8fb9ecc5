-- Set fields of a member who has not left. The last admin cannot be given another role.
-- KEYS  1 user:<name>  2 admins:  then the act's, then the actor's (see acts.lua)
-- ARGV  1-3 the act's (see acts.lua)  4 name in lower case  then field, value, and so on, then the actor's
-- Answers  done | same (nothing was written, also to give a role to a member whose account is held) | unknown
--          | last-admin | logged-out | forbidden
local answer = begin_act()
if answer then
  return answer
end
local name, FIRST_FIELD = ARGV[4], 5
local id, left, banned, until_time, role, held = unpack(
  redis.call('HMGET', KEYS[1], 'id', 'left', 'banned', 'banned-until', 'role', 'held'))
if not id or left then
  return { 'unknown' }
elseif held and ARGV[FIRST_FIELD] == 'role' then
  return { 'same' }
end
check_types(2, 2, 'set')
check_log()
local fields, changed = { role = role }, false
for i = FIRST_FIELD, #ARGV, 2 do
  fields[ARGV[i]] = ARGV[i + 1]
  if redis.call('HGET', KEYS[1], ARGV[i]) ~= ARGV[i + 1] then
    changed = true
  end
end
local remains_admin = is_admin(fields.role, banned, until_time)
if not changed then
  return { 'same' }
elseif is_admin(role, banned, until_time) and not remains_admin and is_last_admin(2, name) then
  return { 'last-admin' }
end
write_when_full(KEYS[1])
redis.call('HSET', KEYS[1], unpack(ARGV, FIRST_FIELD))
set_admin(2, name, remains_admin)
write_log_entry()
return done({ 'done' })
