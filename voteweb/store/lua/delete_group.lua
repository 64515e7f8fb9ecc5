-- Delete a group in which no article is listed, with its alias. Removed articles keep its name: should they be restored,
-- they are put into those of their groups that exist.
-- KEYS  1 groups:  2 group-info:<name>  3 group-aliases:  4 group:<name>  5 time:<name>  6 score:<name>
--       7 top-group:<name>  then the act's, then the actor's
-- ARGV  1-3 the act's (see acts.lua)  4 name  then the actor's
-- Answers  deleted | unknown | not-empty | logged-out | forbidden
local answer = begin_act()
if answer then
  return answer
end
local name = ARGV[4]
check_types(1, 1, 'set')
check_types(2, 3, 'hash')
check_types(4, 4, 'set')
check_types(5, 7, 'zset')
check_log()
if redis.call('SISMEMBER', KEYS[1], name) == 0 then
  return { 'unknown' }
elseif redis.call('SCARD', KEYS[4]) + redis.call('ZCARD', KEYS[5]) + redis.call('ZCARD', KEYS[6]) > 0 then
  return { 'not-empty' }
end
write_when_full(KEYS[1])
redis.call('SREM', KEYS[1], name)
redis.call('UNLINK', KEYS[2], KEYS[7])
local aliases = redis.call('HGETALL', KEYS[3])
for i = 1, #aliases, 2 do
  if aliases[i + 1] == name then
    redis.call('HDEL', KEYS[3], aliases[i])
  end
end
write_log_entry()
return done({ 'deleted' })
