-- Close a conversation: a moderator stops comments and votes on them before its time, with a reason.
-- KEYS  1 article:<id>  2 thread:<id>  then the act's, then the actor's
-- ARGV  1-3 the act's (see acts.lua)  4 reason  5 seconds for which conversations are open  then the actor's
-- Answers  closed | already (it is closed) | ended <unix time> (its time was over) | unknown | gone (the article)
--          | logged-out | forbidden
-- The voters are kept as if it were open: it can be opened again until it ends.
local answer = begin_act()
if answer then
  return answer
end
local reason, commenting_seconds = unpack(ARGV, 4)
local refused = check_closing(KEYS[1], KEYS[2], commenting_seconds, true)
if refused then
  return refused
end
check_log()

write_when_full(KEYS[1])
redis.call('HSET', KEYS[2], 'closed', now(), 'close-reason', reason)
next_thread_revision(KEYS[2])
write_log_entry()
return done({ 'closed' })
