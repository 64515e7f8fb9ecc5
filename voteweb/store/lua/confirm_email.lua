-- Make an address that waits to be confirmed the member's; its link is used up. The one before gets a mail.
-- KEYS  1 user:<name>  2 outbox:  3 mails:  then the act's, then the actor's
-- ARGV  1-3 the act's (see acts.lua)  4 the field email-pending for which the link was made  5 its end in unix seconds
--       6 the address  7 name in lower case  then the actor's
-- Answers  done (by this call or before) | unknown (used, too old, or for another address by now) | logged-out | held
--          | forbidden
local answer = begin_act()
if answer then
  return answer
end
local pending, until_time, address, name = unpack(ARGV, 4)
check_types(2, 2, 'zset')
check_types(3, 3, 'hash')
if redis.call('HGET', KEYS[1], 'email-pending') ~= pending or tonumber(now()) >= tonumber(until_time) then
  return { 'unknown' }
end
local former = redis.call('HGET', KEYS[1], 'email') or ''
if former ~= '' and former ~= address then
  warn_address(1, 2, 3, name)
end
redis.call('HSET', KEYS[1], 'email', address)
redis.call('HDEL', KEYS[1], 'email-pending')
return done({ 'done' })
