-- Makes the queue say of an article what its open reports say; what is gone has none.
-- KEYS  1 article:<id>  2 reports:  3 report:<id>
-- ARGV  none
-- Answers  mended | sound
local title, gone = unpack(redis.call('HMGET', KEYS[1], 'title', 'gone'))
check(2, 2, 'zset')
check(3, 3, 'hash')
local changed = false
if redis.call('EXISTS', KEYS[1]) == 0 or gone == 'deleted' or gone == 'removed' then
  changed = redis.call('UNLINK', KEYS[3]) == 1
end
local count, queued = redis.call('HLEN', KEYS[3]), redis.call('ZSCORE', KEYS[2], KEYS[1])
if count == 0 or not title then
  changed = redis.call('ZREM', KEYS[2], KEYS[1]) == 1 or changed
elseif tonumber(queued or 'nan') ~= count then
  rank(KEYS[2], count, KEYS[1])
  changed = true
end
return { changed and 'mended' or 'sound' }
