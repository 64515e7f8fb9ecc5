-- Open a conversation again that a moderator closed, until the end that it had from the beginning.
-- KEYS  1 article:<id>  2 thread:<id>  then the act's, then the actor's
-- ARGV  1-3 the act's (see acts.lua)  4 seconds for which conversations are open  then the actor's
-- Answers  reopened | already (it is not closed) | ended <unix time> (its time is over) | unknown | gone (the article)
--          | logged-out | forbidden
local answer = begin_act()
if answer then
  return answer
end
local commenting_seconds = ARGV[4]
local refused = check_closing(KEYS[1], KEYS[2], commenting_seconds, false)
if refused then
  return refused
end
check_log()

write_when_full(KEYS[1])
redis.call('HDEL', KEYS[2], 'closed', 'close-reason')
next_thread_revision(KEYS[2])
write_log_entry()
return done({ 'reopened' })
