-- Makes a group, or changes the title and description of one that is there.
-- KEYS  1 groups:  2 group-info:<name>
-- ARGV  1 "make" or "change"  2 name  3 title  4 description
-- Answers  done | exists | unknown
check(1, 1, 'set')
check(2, 2, 'hash')
local known = redis.call('SISMEMBER', KEYS[1], ARGV[2]) == 1
if ARGV[1] == 'make' and known then
  return { 'exists' }
elseif ARGV[1] == 'change' and not known then
  return { 'unknown' }
end
redis.call('SADD', KEYS[1], ARGV[2])
redis.call('HSET', KEYS[2], 'title', ARGV[3], 'description', ARGV[4])
return { 'done' }
