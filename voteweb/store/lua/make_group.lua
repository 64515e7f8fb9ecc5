-- Makes a group, or changes the title and description of one that is there.
-- KEYS  1 groups:  2 group-info:<name>  then the log's
-- ARGV  1 number of the log's keys  2 log entry  3 "make" or "change"  4 name  5 title  6 description
-- Answers  done | exists | unknown
check(1, 1, 'set')
check(2, 2, 'hash')
check_log()
local known = redis.call('SISMEMBER', KEYS[1], ARGV[4]) == 1
if ARGV[3] == 'make' and known then
  return { 'exists' }
elseif ARGV[3] == 'change' and not known then
  return { 'unknown' }
end
local title, description = unpack(redis.call('HMGET', KEYS[2], 'title', 'description'))
redis.call('SADD', KEYS[1], ARGV[4])
redis.call('HSET', KEYS[2], 'title', ARGV[5], 'description', ARGV[6])
if not known or title ~= ARGV[5] or description ~= ARGV[6] then
  record()
end
return { 'done' }
