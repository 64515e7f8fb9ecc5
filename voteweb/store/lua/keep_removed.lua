-- Leave an article removed whose poster has answered, and settle the answer.
-- KEYS  1 article:<id>  2 answers:  then those of who is told (see thread.lua), the act's, the actor's
-- ARGV  1-3 the act's (see acts.lua)  4 the article as a member of rankings  then who is told, then the actor's
-- Answers  kept | none (no answer waits: it was settled before) | logged-out | forbidden
local answer = begin_act()
if answer then
  return answer
end
local told = take_told()
local member = ARGV[4]
check_types(1, 1, 'hash')
check_types(2, 2, 'zset')
check_told(told)
check_log()
if not redis.call('ZSCORE', KEYS[2], member) then
  return { 'none' }
end
write_when_full(KEYS[1])
settle_answer(KEYS[1], KEYS[2], member)
tell(told, write_log_entry())
return done({ 'kept' })
