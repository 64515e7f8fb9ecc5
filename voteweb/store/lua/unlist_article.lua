-- Take an article out of every list: deleted by its poster, or removed by a moderator with a reason.
-- KEYS  1 article:<id>  2 voted:<id>  3-8 rankings of the site  9 posted:<poster>  10 gone:<poster>
--       11 link:<digest>  12 reports:  13 report:<id>  14 user:<poster>  15 was:<id>  16 held-articles:
--       17 answers:  18 changes:  then for each group of the article its four keys;  then those of who is told (see thread.lua),
--       the act's, the actor's
-- ARGV  1-3 the act's (see acts.lua)  4 the article as a member of rankings  5 "deleted" or "removed"  6 reason
--       7 poster's name, or empty if the time of posting does not matter  8 seconds to delete
--       9 the article's link as the caller knows it  10 its poster as the caller knows it
--       11 the log id of the ban that removes it, or ""  12 the day of KEYS[7]
--       then its groups' names, then who is told, then the actor's
-- Answers  gone (by this call) | already <deleted or removed> (gone before) | unknown | not-yours | late <unix time>
--          | again (groups, link, poster, day or reports are others) | logged-out | forbidden
--          | overruled (the ban does not remove it any more)
-- A deletion that is logged is a purge, also of what was deleted before: no file of any machine may keep the words.
-- A deleted article loses its words, earlier ones too, and its voters; a removed one keeps them, so that it can be
-- restored.
-- A poster cannot delete what was removed: the reason must stay readable.
local answer = begin_act()
if answer then
  return answer
end
local told = take_told()
local member, new_status, reason, deleter, delete_seconds, known_link, known_poster, removed_by, day =
  unpack(ARGV, 4)
local FIRST_GROUP_KEY, FIRST_GROUP_NAME = 19, 13
local purges = new_status == 'deleted' and ARGV[3] ~= ''
local title, link, poster, posted, field, gone = unpack(
  redis.call('HMGET', KEYS[1], 'title', 'link', 'poster', 'time', 'groups', 'gone'))
if not title or not posted then
  return { 'unknown' }
elseif gone and gone ~= 'held' and not purges and not (gone == 'removed' and new_status == 'deleted' and deleter == '') then
  return { 'already', gone }
end
local time = assert(finite(posted), 'time is no number')
if deleter ~= '' then
  if not is_name_of(poster, deleter) then
    return { 'not-yours' }
  elseif not gone and tonumber(now()) >= time + tonumber(delete_seconds) then
    return { 'late', exact(time + tonumber(delete_seconds)) }
  end
end
if group_names(field) ~= table.concat(ARGV, ' ', FIRST_GROUP_NAME) or (link or '') ~= known_link
  or (poster or '') ~= known_poster or day_of(time) ~= day or not knows_reports(KEYS[13], told) then
  return { 'again' }
end
check_types(2, 2, 'set')
check_types(3, 12, 'zset')
check_types(13, 14, 'hash')
check_types(15, 17, 'zset')
check_types(18, 18, 'stream')
check_groups(FIRST_GROUP_NAME, FIRST_GROUP_KEY)
check_told(told)
check_log()
if removed_by ~= '' and not is_ban_in_state(KEYS[14], removed_by, 'removing') then
  return { 'overruled' }
end

leave_site(3, member)
redis.call('ZREM', KEYS[9], member)
if redis.call('HEXISTS', KEYS[14], 'id') == 1 then
  rank(KEYS[10], time, member)
end
redis.call('ZREM', KEYS[11], member)
redis.call('ZREM', KEYS[16], member)
redis.call('ZREM', KEYS[12], member)
redis.call('DEL', KEYS[13])
leave_groups(FIRST_GROUP_NAME, FIRST_GROUP_KEY, member)
redis.call('HSET', KEYS[1], 'gone', new_status, 'reason', reason)
if not gone then
  record_change(KEYS[18], 't', member)
end
if purges then
  record_change(KEYS[18], 'p', member)
end
if removed_by ~= '' then
  redis.call('HSET', KEYS[1], 'removed-by', removed_by)
end
if gone == 'held' then
  redis.call('HSET', KEYS[1], 'was-held', '1')
end
if new_status == 'deleted' then
  redis.call('HSET', KEYS[1], 'title', '', 'link', '', 'text', '')
  redis.call('HDEL', KEYS[1], 'removed-by', 'answer', 'was-held')
  settle_answer(KEYS[1], KEYS[17], member)
  redis.call('UNLINK', KEYS[2], KEYS[15])
end
if removed_by ~= '' then
  tell_once(told, removed_by)
else
  tell(told, write_log_entry())
end
return done({ 'gone' })
