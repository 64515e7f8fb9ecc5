-- Make the queue of reports agree with the open reports of a comment; one that is deleted, removed, or removed together with
-- one above it has none.
-- KEYS  1 thread:<id>  2 reports:  3 comment-report:<id>.<number>  then those of who is told (see thread.lua)
-- ARGV  1-3 the act's (see acts.lua): not remembered  4 the comment as a member of rankings  5 its number
--       6 id of the log entry of the removal, empty if nobody is told  then who is told
-- Answers  repaired | unchanged | unrepairable (the comment cannot be read) | again (its reports are others)
local told = take_told()
local member, number, log_id = unpack(ARGV, 4)
local node = read_node(KEYS[1], number)
if not node and redis.call('HEXISTS', KEYS[1], number) == 1 then
  return { 'unrepairable' }
elseif not knows_reports(KEYS[3], told) then
  return { 'again' }
end
check_types(2, 2, 'zset')
check_types(3, 3, 'hash')
check_told(told)
local _, is_covered = walk_up(KEYS[1], tonumber(number))
local changed = false
if not node or is_covered or has_state(node, 'drR') then
  changed = redis.call('UNLINK', KEYS[3]) == 1
  tell_once(told, changed and log_id)
end
local count, queued = redis.call('HLEN', KEYS[3]), redis.call('ZSCORE', KEYS[2], member)
if count == 0 then
  changed = redis.call('ZREM', KEYS[2], member) == 1 or changed
elseif tonumber(queued or 'nan') ~= count then
  rank(KEYS[2], count, member)
  changed = true
end
return { changed and 'repaired' or 'unchanged' }
