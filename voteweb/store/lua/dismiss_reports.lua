-- Close the open reports of an article and leave the article as it is.
-- KEYS  1 article:<id>  2 reports:  3 report:<id>  then the act's, then the actor's
-- ARGV  1-3 the act's (see common.lua)  4 the article as a member of rankings  then the actor's
-- Answers  dismissed <how many> | none | logged-out | forbidden
local refusal = check_actor()
local before = answer_before()
if before or refusal then
  return before or refusal
end
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
return done({ 'dismissed', string.format('%d', count) })
