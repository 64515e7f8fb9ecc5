-- Forget the addresses of a member, and what waits to be sent there. A confirmed one gets a mail.
-- KEYS  1 user:<name>  2 outbox:  3 mails:  then the act's, then the actor's
-- ARGV  1-3 the act's (see acts.lua)  4 name in lower case  then the actor's
-- Answers  done (by this call or before) | logged-out | held | forbidden
local answer = begin_act()
if answer then
  return answer
end
local name = ARGV[4]
check_types(2, 2, 'zset')
check_types(3, 3, 'hash')
write_when_full(KEYS[1])
if (redis.call('HGET', KEYS[1], 'email') or '') ~= '' then
  warn_address(1, 2, 3, name)
end
redis.call('HDEL', KEYS[1], 'email', 'email-pending', 'email-language')
remove_mails(2, 3, name)
return done({ 'done' })
