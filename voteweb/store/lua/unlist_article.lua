-- Take an article out of every list: deleted by its poster, or removed by a moderator with a reason.
-- KEYS  1 article:<id>  2 voted:<id>  3 time:  4 score:  5 good:  6 posted:<poster>  7 gone:<poster>
--       8 link:<digest>  9 reports:  10 report:<id>  11 user:<poster>  12 was:<id>  then for each group of the
--       article three: group:<g> time:<g> score:<g>;  then those of who is told (see thread.lua), the act's, the actor's
-- ARGV  1-3 the act's (see common.lua)  4 the article as a member of rankings  5 "deleted" or "removed"  6 reason
--       7 poster's name, or empty if the time of posting does not matter  8 seconds to delete
--       9 the article's link as the caller knows it  10 its poster as the caller knows it
--       11 the log id of the ban that removes it, or ""  then its groups' names,
--       then who is told, then the actor's
-- Answers  gone (by this call) | already <deleted or removed> (gone before) | unknown | not-yours | late <unix time>
--          | again (groups, link, poster or reports are others) | logged-out | forbidden
--          | overruled (the ban does not remove it any more)
-- A deleted article loses its words, earlier ones too, and its voters; a removed one keeps them, so that it can be
-- restored.
-- A poster cannot delete what was removed: the reason must stay readable.
local refusal = check_actor()
local before = answer_before()
if before or refusal then
  return before or refusal
end
local told = take_told()
local member, new_status, reason, deleter, delete_seconds, known_link, known_poster, removed_by =
  unpack(ARGV, 4)
local FIRST_GROUP_KEY, FIRST_GROUP_NAME = 13, 12
local title, link, poster, posted, field, gone = unpack(
  redis.call('HMGET', KEYS[1], 'title', 'link', 'poster', 'time', 'groups', 'gone'))
if not title or not posted then
  return { 'unknown' }
elseif gone and not (gone == 'removed' and new_status == 'deleted' and deleter == '') then
  return { 'already', gone }
end
local time = assert(finite(posted), 'time is no number')
if deleter ~= '' then
  if string.lower(poster or '') ~= string.lower(deleter) then
    return { 'not-yours' }
  elseif tonumber(now()) >= time + tonumber(delete_seconds) then
    return { 'late', exact(time + tonumber(delete_seconds)) }
  end
end
if group_names(field) ~= table.concat(ARGV, ' ', FIRST_GROUP_NAME) or (link or '') ~= known_link
  or (poster or '') ~= known_poster or not knows_reports(KEYS[10], told) then
  return { 'again' }
end
check_types(2, 2, 'set')
check_types(3, 9, 'zset')
check_types(10, 11, 'hash')
check_types(12, 12, 'zset')
check_groups(FIRST_GROUP_NAME, FIRST_GROUP_KEY)
check_told(told)
check_log()
if removed_by ~= '' and not is_ban_in_state(KEYS[11], removed_by, 'removing') then
  return { 'overruled' }
end

for i = 3, 6 do
  redis.call('ZREM', KEYS[i], member)
end
if redis.call('HEXISTS', KEYS[11], 'id') == 1 then
  rank(KEYS[7], time, member)
end
redis.call('ZREM', KEYS[8], member)
redis.call('ZREM', KEYS[9], member)
redis.call('DEL', KEYS[10])
for i = FIRST_GROUP_NAME, #ARGV do
  leave_group(FIRST_GROUP_KEY + 3 * (i - FIRST_GROUP_NAME), member)
end
redis.call('HSET', KEYS[1], 'gone', new_status, 'reason', reason)
if removed_by ~= '' then
  redis.call('HSET', KEYS[1], 'removed-by', removed_by)
end
if new_status == 'deleted' then
  redis.call('HSET', KEYS[1], 'title', '', 'link', '', 'text', '')
  redis.call('HDEL', KEYS[1], 'removed-by')
  redis.call('UNLINK', KEYS[2], KEYS[12])
end
if removed_by ~= '' then
  tell_once(told, removed_by)
else
  tell(told, write_log_entry())
end
return done({ 'gone' })
