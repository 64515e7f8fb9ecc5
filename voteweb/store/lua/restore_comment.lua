-- Bring a removed comment back, with its votes, at its place; and what is below it, if it was removed together with that.
-- KEYS  1 article:<id>  2 thread:<id>  3 hidden:<id>  4 removing:  5 user:<author>  6 changes:  then those of who is told
--       (see thread.lua), the act's, the actor's
-- ARGV  1-3 the act's (see acts.lua)  4 the article's id  5 number of the comment  6 field of the reason
--       7 its author as the caller knows them  8 the log id of the ban that removed it, or ""  then who is told, then the actor's
-- Answers  restored | already (nobody removed it, or not that ban) | unknown | deleted | again (its author is another)
--          | overruled (what this undoes is not in force) | logged-out | forbidden
-- Below a comment that is removed together with its replies, it stays hidden. One whose author has left the site since it was
-- removed with its replies stays deleted: only what is below comes back.
local answer = begin_act()
if answer then
  return answer
end
local told = take_told()
local id, number, reason_field, known_author, removed_by = unpack(ARGV, 4)
local node = read_node(KEYS[2], number)
if not node or redis.call('HEXISTS', KEYS[1], 'title') == 0 then
  return { 'unknown' }
elseif has_state(node, 'd') and not has_state(node, 'R') then
  return { 'deleted' }
elseif not has_state(node, 'rR')
  or removed_by ~= '' and redis.call('HGET', KEYS[2], removed_by_field(reason_field)) ~= removed_by then
  return { 'already' }
elseif node.author ~= known_author then
  return { 'again' }
end
check_types(1, 1, 'hash')
check_types(3, 3, 'string')
check_types(4, 4, 'set')
check_types(5, 5, 'hash')
check_types(6, 6, 'stream')
check_told(told)
check_log()
if not is_in_force() or removed_by ~= '' and not is_ban_in_state(KEYS[5], removed_by, 'restoring') then
  return { 'overruled' }
end

write_when_full(KEYS[2])
local had_replies = has_state(node, 'R')
set_state(node, 'r', false)
set_state(node, 'R', false)
write_node(KEYS[2], number, node)
redis.call('HDEL', KEYS[2], reason_field, removed_by_field(reason_field))
local _, is_covered = walk_up(KEYS[2], node.parent)
set_hidden(KEYS[3], KEYS[1], number, is_covered or has_state(node, 'd'))
if had_replies then
  begin_hiding(KEYS[2], KEYS[4], id, number + 1)
end
record_change(KEYS[6], had_replies and 't' or 'c', had_replies and id or id .. '.' .. number)
tell(told, write_log_entry())
return done({ 'restored' })
