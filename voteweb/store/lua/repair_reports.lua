-- Make the queue of reports agree with an article's open reports; an article that is gone has none.
-- KEYS  1 article:<id>  2 reports:  3 report:<id>
-- ARGV  1 the article as a member of rankings
-- Answers  repaired | unchanged
local member = ARGV[1]
local title, gone = unpack(redis.call('HMGET', KEYS[1], 'title', 'gone'))
check_types(2, 2, 'zset')
check_types(3, 3, 'hash')
local changed = false
if redis.call('EXISTS', KEYS[1]) == 0 or gone == 'deleted' or gone == 'removed'
  or gone == 'held' then
  changed = redis.call('UNLINK', KEYS[3]) == 1
end
local count, queued = redis.call('HLEN', KEYS[3]), redis.call('ZSCORE', KEYS[2], member)
if count == 0 or not title then
  changed = redis.call('ZREM', KEYS[2], member) == 1 or changed
elseif tonumber(queued or 'nan') ~= count then
  rank(KEYS[2], count, member)
  changed = true
end
return { changed and 'repaired' or 'unchanged' }
