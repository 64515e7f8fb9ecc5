-- Create a group that an article or a title names, or delete what is left of one that nothing names.
-- KEYS  1 groups:  2 group-info:<name>  3 group:<name>  4 time:<name>  5 score:<name>  6 top-group:<name>
-- ARGV  1 name  2 whether an article says that it is in the group (0 or 1)
-- Answers  repaired | unchanged
local name, is_named = unpack(ARGV)
check_types(1, 1, 'set')
check_types(2, 2, 'hash')
check_types(3, 3, 'set')
check_types(4, 6, 'zset')
if redis.call('SISMEMBER', KEYS[1], name) == 1 then
  return { 'unchanged' }
elseif is_named == '1' or redis.call('EXISTS', KEYS[2]) == 1 then
  redis.call('SADD', KEYS[1], name)
  return { 'repaired' }
end
return { redis.call('UNLINK', KEYS[3], KEYS[4], KEYS[5], KEYS[6]) > 0 and 'repaired' or 'unchanged' }
