-- Note the address that a member wants to get mail at, and queue the mail whose link confirms it, in place of one that waits.
-- KEYS  1 user:<name>  2 outbox:  3 mails:  then the act's, then the actor's
-- ARGV  1-3 the act's (see acts.lua)  4 the entry, "confirm <name>"  5 the field email-pending  6 code of the language
--       7 how many mails wait at most  then the actor's
-- Answers  queued (by this call or before) | full | logged-out | held | forbidden
local answer = begin_act()
if answer then
  return answer
end
local entry, pending, language, most = unpack(ARGV, 4)
check_types(2, 2, 'zset')
check_types(3, 3, 'hash')
if is_outbox_full(2, entry, most) then
  return { 'full' }
end
redis.call('HSET', KEYS[1], 'email-pending', pending, 'email-language', language)
put_mail(2, 3, entry)
return done({ 'queued' })
