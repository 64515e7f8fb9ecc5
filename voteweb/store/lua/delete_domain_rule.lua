-- Delete the rule of a domain.
-- KEYS  1 domain-rules:  then the act's, then the actor's (see acts.lua)
-- ARGV  1-3 the act's (see acts.lua)  4 domain  then the actor's
-- Answers  done | same (there is none) | logged-out | forbidden
local answer = begin_act()
if answer then
  return answer
end
check_types(1, 1, 'hash')
check_log()
if redis.call('HEXISTS', KEYS[1], ARGV[4]) == 0 then
  return { 'same' }
end
redis.call('HDEL', KEYS[1], ARGV[4])
write_log_entry()
return done({ 'done' })
