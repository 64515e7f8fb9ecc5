-- Store which mails a member wants, who has confirmed an address.
-- KEYS  1 user:<name>  2 digests:  3 mails:  then the act's, then the actor's
-- ARGV  1-3 the act's (see acts.lua)  4 name in lower case  5 the field email-for  6 code of the language
--       7 seconds until the first weekly mail  then the actor's
-- Answers  done (by this call or before) | unknown (there is no address) | logged-out | held | forbidden
local answer = begin_act()
if answer then
  return answer
end
local name, choices, language, weekly_seconds = unpack(ARGV, 4)
check_types(2, 2, 'zset')
check_types(3, 3, 'hash')
if (redis.call('HGET', KEYS[1], 'email') or '') == '' then
  return { 'unknown' }
end
redis.call('HSET', KEYS[1], 'email-for', choices, 'email-language', language)
set_digests(2, 3, name, choices, weekly_seconds)
return done({ 'done' })
