-- Makes a group that somebody named or described, or clears away what is left of one that nobody did.
-- KEYS  1 groups:  2 group-info:<name>  3 group:<name>  4 time:<name>  5 score:<name>
-- ARGV  1 name  2 whether an article says that it is in the group (0 or 1)
-- Answers  mended | sound
check(1, 1, 'set')
check(2, 2, 'hash')
check(3, 3, 'set')
check(4, 5, 'zset')
if redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 1 then
  return { 'sound' }
elseif ARGV[2] == '1' or redis.call('EXISTS', KEYS[2]) == 1 then
  redis.call('SADD', KEYS[1], ARGV[1])
  return { 'mended' }
end
return { redis.call('UNLINK', KEYS[3], KEYS[4], KEYS[5]) > 0 and 'mended' or 'sound' }
