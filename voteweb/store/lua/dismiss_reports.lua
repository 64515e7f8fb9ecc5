-- Close the open reports of an article and leave the article as it is.
-- KEYS  1 article:<id>  2 reports:  3 report:<id>  then the log's
-- ARGV  1-3 the log's (see common.lua)  4 the article as a member of rankings
-- Answers  dismissed <how many> | none
local member = ARGV[4]
check_types(1, 1, 'hash')
check_types(2, 2, 'zset')
check_log()
local count = redis.call('HLEN', KEYS[3])
redis.call('DEL', KEYS[3])
if redis.call('ZREM', KEYS[2], member) == 0 then
  return { 'none' }
end
write_log_entry()
return { 'dismissed', string.format('%d', count) }
