-- Settles the open reports of an article without touching it.
-- KEYS  1 article:<id>  2 reports:  3 report:<id>  then the log's
-- ARGV  1 number of the log's keys  2 log entry
-- Answers  dismissed <how many> | none
check(1, 1, 'hash')
check(2, 2, 'zset')
check_log()
local count = redis.call('HLEN', KEYS[3])
redis.call('DEL', KEYS[3])
if redis.call('ZREM', KEYS[2], KEYS[1]) == 0 then
  return { 'none' }
end
record()
return { 'dismissed', string.format('%d', count) }
