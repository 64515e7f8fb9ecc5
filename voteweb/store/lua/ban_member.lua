-- Ban a member for good or until an end, and begin to remove what they posted in some time before.
-- KEYS  1 user:<name>  2 admins:  3 ban-removals:  then the act's, then the actor's (see acts.lua)
-- ARGV  1-3 the act's (see acts.lua)  4 name in lower case  5 reason  6 new session id
--       7 seconds until the ban ends, or empty for good  8 seconds whose articles are to be removed, "all" or "none"
--       9 the same of comments  then the actor's
-- Answers  done | same (banned already, or the account is held) | unknown | last-admin
--          | restoring (what an earlier ban removed is still being restored) | logged-out
--          | forbidden (also if the member has no lower role than the actor)
-- The steps of store/ban_removals.py remove what the field ban-removal says: "<log id> <state> <time from which on articles
-- are removed> <the same of comments>", each time "-" for none.
local answer, rank = begin_act()
if answer then
  return answer
end
local name, reason, session_id, seconds, articles, comments = unpack(ARGV, 4)
local id, left, banned, until_time, role, held, removal = unpack(redis.call('HMGET', KEYS[1],
  'id', 'left', 'banned', 'banned-until', 'role', 'held', 'ban-removal'))
if not id or left then
  return { 'unknown' }
elseif rank <= (RANKS[role] or RANKS.member) then
  return { 'forbidden' }
elseif held or is_banned(banned, until_time) then
  return { 'same' }
elseif string.match(removal or '', '^%d+ restoring ') then
  return { 'restoring' }
end
check_types(2, 3, 'set')
check_log()
local ends = seconds ~= '' and string.format('%d', math.ceil(tonumber(now()) + tonumber(seconds))) or ''
if is_admin(role, banned, until_time) and not is_admin(role, '1', ends) and is_last_admin(2, name) then
  return { 'last-admin' }
end

-- Return from when on things are to be removed.
local function since(wanted)
  local span = tonumber(wanted)
  return span and string.format('%d', math.floor(tonumber(now()) - span)) or wanted == 'all' and '0' or '-'
end

write_when_full(KEYS[1])
redis.call('HSET', KEYS[1], 'banned', string.match(now(), '^%d+'), 'ban-reason', reason, 'session', session_id)
redis.call('HDEL', KEYS[1], 'banned-until')
if ends ~= '' then
  redis.call('HSET', KEYS[1], 'banned-until', ends)
end
set_admin(2, name, is_admin(role, '1', ends))
local log_id = write_log_entry('', '', ends)
-- A ban that removes nothing leaves what an earlier one removed to be restored.
if log_id and (articles ~= 'none' or comments ~= 'none') then
  redis.call('HSET', KEYS[1], 'ban-removal', log_id .. ' removing ' .. since(articles) .. ' ' .. since(comments))
  redis.call('SADD', KEYS[3], name)
end
return done({ 'done' })
