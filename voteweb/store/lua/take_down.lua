-- Takes an article out of every list: deleted by its poster, or removed by a moderator with a reason.
-- KEYS  1 article:<id>  2 voted:<id>  3 time:  4 score:  5 good:  6 posted:<poster>  7 gone:<poster>
--       8 link:<digest>  9 reports:  10 report:<id>  11 user:<poster>  then for each group of the article
--       three: group:<g> time:<g> score:<g>;  then the log's
-- ARGV  1 number of the log's keys  2 log entry  3 "deleted" or "removed"  4 reason
--       5 poster's name, or empty for whoever may at any time  6 seconds to delete  7 the article's link as the
--       caller knows it  8 its poster as the caller knows it  then its groups' names
-- Answers  gone (by this call) | already <deleted or removed> (gone before) | unknown | not-yours | late <unix time>
--          | again (groups, link or poster are others)
-- What is deleted loses its words and its voters; what is removed keeps both, so that it can be restored.
-- A poster cannot delete what was removed: the reason stays to be read.
local title, link, poster, posted, field, gone = unpack(
  redis.call('HMGET', KEYS[1], 'title', 'link', 'poster', 'time', 'groups', 'gone'))
if not title or not posted then
  return { 'unknown' }
elseif gone and not (gone == 'removed' and ARGV[3] == 'deleted' and ARGV[5] == '') then
  return { 'already', gone }
end
local time = assert(tonumber(posted), 'time is no number')
if ARGV[5] ~= '' then
  if string.lower(poster or '') ~= string.lower(ARGV[5]) then
    return { 'not-yours' }
  elseif tonumber(now()) >= time + tonumber(ARGV[6]) then
    return { 'late', exact(time + tonumber(ARGV[6])) }
  end
end
if (field or '') ~= table.concat(ARGV, ' ', 9) or (link or '') ~= ARGV[7] or (poster or '') ~= ARGV[8] then
  return { 'again' }
end
check(2, 2, 'set')
check(3, 9, 'zset')
check(10, 11, 'hash')
check_groups(9, 12)
check_log()

for i = 3, 6 do
  redis.call('ZREM', KEYS[i], KEYS[1])
end
if redis.call('HEXISTS', KEYS[11], 'id') == 1 then
  rank(KEYS[7], time, KEYS[1])
end
redis.call('ZREM', KEYS[8], KEYS[1])
redis.call('ZREM', KEYS[9], KEYS[1])
redis.call('DEL', KEYS[10])
for i = 9, #ARGV do
  leave_group(12 + 3 * (i - 9), KEYS[1])
end
redis.call('HSET', KEYS[1], 'gone', ARGV[3], 'reason', ARGV[4])
if ARGV[3] == 'deleted' then
  redis.call('HSET', KEYS[1], 'title', '', 'link', '', 'text', '')
  redis.call('UNLINK', KEYS[2])
end
record()
return { 'gone' }
