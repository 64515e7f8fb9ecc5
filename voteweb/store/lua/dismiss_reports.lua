-- Close the open reports of an article or a comment, and leave it as it is.
-- KEYS  1 article:<id>  2 reports:  3 report:<id> or comment-report:<id>.<number>  then those of who is told (see
--       thread.lua), the act's, the actor's
-- ARGV  1-3 the act's (see acts.lua)  4 it as a member of rankings  then who is told, then the actor's
-- Answers  dismissed <how many> | none | again (its reports are others) | logged-out | forbidden
local answer = begin_act()
if answer then
  return answer
end
local told = take_told()
local member = ARGV[4]
if not knows_reports(KEYS[3], told) then
  return { 'again' }
end
check_types(1, 1, 'hash')
check_types(2, 2, 'zset')
check_told(told)
check_log()
local count = redis.call('HLEN', KEYS[3])
redis.call('DEL', KEYS[3])
if redis.call('ZREM', KEYS[2], member) == 0 then
  return { 'none' }
end
tell(told, write_log_entry())
return done({ 'dismissed', string.format('%d', count) })
