-- Lift the ban of a member; with it, if wanted, begin to restore what the ban removed.
-- KEYS  1 user:<name>  2 admins:  3 ban-removals:  then the act's, then the actor's (see acts.lua)
-- ARGV  1-3 the act's (see acts.lua)  4 name in lower case  5 whether what the ban removed is restored (0 or 1)
--       then the actor's
-- Answers  done | same (not banned, nothing to restore, or the account is held) | unknown
--          | overruled (what this undoes is not in force) | logged-out
--          | forbidden (also if the member has no lower role than the actor)
-- Without restoring, what the ban has not yet removed stays, and what it has removed can be restored later.
local answer, rank = begin_act()
if answer then
  return answer
end
local name, restores = unpack(ARGV, 4)
local id, left, banned, until_time, role, held, removal = unpack(redis.call('HMGET', KEYS[1],
  'id', 'left', 'banned', 'banned-until', 'role', 'held', 'ban-removal'))
local entry, state, times = string.match(removal or '', '^(%d+) (%a+) (%S+ %S+)$')
restores = restores == '1' and (state == 'removing' or state == 'removed')
if not id or left then
  return { 'unknown' }
elseif rank <= (RANKS[role] or RANKS.member) then
  return { 'forbidden' }
elseif held or not (is_banned(banned, until_time) or restores) then
  return { 'same' }
end
check_types(2, 3, 'set')
check_log()
if not is_in_force() then
  return { 'overruled' }
end
write_when_full(KEYS[1])
redis.call('HSET', KEYS[1], 'banned', '0', 'ban-reason', '')
redis.call('HDEL', KEYS[1], 'banned-until')
set_admin(2, name, is_admin(role, '0'))
if restores then
  redis.call('HSET', KEYS[1], 'ban-removal', entry .. ' restoring ' .. times)
  redis.call('SADD', KEYS[3], name)
elseif state == 'removing' then
  redis.call('HSET', KEYS[1], 'ban-removal', entry .. ' removed ' .. times)
  redis.call('SREM', KEYS[3], name)
end
write_log_entry()
return done({ 'done' })
