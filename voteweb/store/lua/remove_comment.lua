-- Remove a comment, alone or with all replies below it, and settle its reports. It keeps its words, so that it can be restored.
-- KEYS  1 article:<id>  2 thread:<id>  3 hidden:<id>  4 removing:  5 reports:  6 comment-report:<id>.<number>
--       7 user:<author>  8 changes:
--       then those of who is told (see thread.lua), the act's, the actor's
-- ARGV  1-3 the act's (see acts.lua)  4 the article's id  5 number of the comment  6 "r", or "R" with its replies
--       7 reason  8 field of the reason  9 its author as the caller knows them  10 the comment as a member of rankings
--       11 the log id of the ban that removes it, or ""  then who is told, then the actor's
-- Answers  removed | already (a moderator removed it before) | unknown | gone (its author deleted it)
--          | again (its author or its reports are others) | overruled (the ban does not remove it any more) | logged-out
--          | forbidden
-- With its replies, what is below is invisible at once; hide_replies.lua counts it.
local answer = begin_act()
if answer then
  return answer
end
local told = take_told()
local id, number, state, reason, reason_field, known_author, member, removed_by = unpack(ARGV, 4)
local node = read_node(KEYS[2], number)
if not node or redis.call('HEXISTS', KEYS[1], 'title') == 0 then
  return { 'unknown' }
elseif has_state(node, 'd') then
  return { 'gone' }
elseif has_state(node, 'rR') then
  return { 'already' }
elseif node.author ~= known_author or not knows_reports(KEYS[6], told) then
  return { 'again' }
end
check_types(7, 7, 'hash')
if removed_by ~= '' and not is_ban_in_state(KEYS[7], removed_by, 'removing') then
  return { 'overruled' }
end
check_types(1, 1, 'hash')
check_types(3, 3, 'string')
check_types(4, 4, 'set')
check_types(5, 5, 'zset')
check_types(8, 8, 'stream')
check_told(told)
check_log()

write_when_full(KEYS[2])
set_state(node, state, true)
write_node(KEYS[2], number, node)
redis.call('HSET', KEYS[2], reason_field, reason)
if removed_by ~= '' then
  redis.call('HSET', KEYS[2], removed_by_field(reason_field), removed_by)
end
set_hidden(KEYS[3], KEYS[1], number, true)
if state == 'R' then
  begin_hiding(KEYS[2], KEYS[4], id, number + 1)
end
record_change(KEYS[8], state == 'R' and 't' or 'c', state == 'R' and id or id .. '.' .. number)
redis.call('ZREM', KEYS[5], member)
redis.call('DEL', KEYS[6])
if removed_by ~= '' then
  tell_once(told, removed_by)
else
  tell(told, write_log_entry())
end
return done({ 'removed' })
