-- Set fields of a member who has not left. The last admin can be neither banned nor given another role.
-- KEYS  1 user:<name>  2 admins:  then the act's, then the actor's (see common.lua)
-- ARGV  1-3 the act's (see common.lua)  4 "banned" or "free": only if the member is that; "" for any
--       5 name in lower case  then field, value (of banned: "now" for the time), and so on, then the actor's
-- Answers  done | same (nothing was written, also to ban or free a member whose account is held, or to give them a
--          role) | unknown | last-admin | overruled (what this undoes is not in force) | logged-out
--          | forbidden (also if the member to be banned or freed has no lower role than the actor)
local refusal, rank = check_actor()
local before = answer_before()
if before or refusal then
  return before or refusal
end
local condition, name = ARGV[4], ARGV[5]
local FIRST_FIELD = 6
local id, left, banned, role, held = unpack(redis.call('HMGET', KEYS[1], 'id', 'left', 'banned', 'role', 'held'))
if not id or left then
  return { 'unknown' }
elseif condition ~= '' and rank <= (RANKS[role] or RANKS.member) then
  return { 'forbidden' }
elseif held and (condition ~= '' or ARGV[FIRST_FIELD] == 'role') then
  return { 'same' }
elseif condition ~= '' and (condition == 'banned') ~= ((banned or '0') ~= '0') then
  return { 'same' }
end
check_types(2, 2, 'set')
check_log()
if not is_in_force() then
  return { 'overruled' }
end
local fields, changed = { role = role, banned = banned }, false
for i = FIRST_FIELD, #ARGV, 2 do
  if ARGV[i] == 'banned' and ARGV[i + 1] == 'now' then
    ARGV[i + 1] = string.match(now(), '^%d+')
  end
  fields[ARGV[i]] = ARGV[i + 1]
  if redis.call('HGET', KEYS[1], ARGV[i]) ~= ARGV[i + 1] then
    changed = true
  end
end
local remains_admin = is_admin(fields.role, fields.banned)
if not changed then
  return { 'same' }
elseif is_admin(role, banned) and not remains_admin and is_last_admin(2, name) then
  return { 'last-admin' }
end
write_when_full(KEYS[1])
redis.call('HSET', KEYS[1], unpack(ARGV, FIRST_FIELD))
set_admin(2, name, remains_admin)
write_log_entry()
return done({ 'done' })
