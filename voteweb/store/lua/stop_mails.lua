-- End mails to an address: a digest of the member's, or all, with which the address is forgotten. By the member, or by
-- whoever has the link of a mail. A confirmed address that the member removes gets a mail.
-- KEYS  1 user:<name>  2 outbox:  3 digests:  4 mails:  then the act's, then the actor's
-- ARGV  1-3 the act's (see acts.lua)  4 name in lower case  5 "digest", "weekly" or "all"  6 the address, confirmed or not
--       7 "1" for a mail to it  then the actor's
-- Answers  done (by this call or before) | unknown (the address is not the member's, or not any more) | logged-out | held
--          | forbidden
local answer = begin_act()
if answer then
  return answer
end
local name, kind, address, warns = unpack(ARGV, 4)
check_types(2, 3, 'zset')
check_types(4, 4, 'hash')
local email, pending, choices = unpack(redis.call('HMGET', KEYS[1], 'email', 'email-pending', 'email-for'))
local is_pending = pending and string.match(pending, '(%S+)$') == address
if email ~= address and not is_pending then
  return { 'unknown' }
end
write_when_full(KEYS[1])
if kind == 'all' then
  if is_pending then
    redis.call('HDEL', KEYS[1], 'email-pending')
  end
  if email == address then
    if warns == '1' then
      warn_address(1, 2, 4, name)
    end
    redis.call('HDEL', KEYS[1], 'email', 'email-for')
    remove_mails(2, 3, 4, name)
  end
  if redis.call('HEXISTS', KEYS[1], 'email') + redis.call('HEXISTS', KEYS[1], 'email-pending') == 0 then
    redis.call('HDEL', KEYS[1], 'email-language')
  end
  return done({ 'done' })
end
local kept = {}
for word in string.gmatch(choices or '', '%S+') do
  if (word == 'weekly') ~= (kind == 'weekly') then
    kept[#kept + 1] = word
  end
end
local remaining = table.concat(kept, ' ')
redis.call('HSET', KEYS[1], 'email-for', remaining)
set_digests(3, 4, name, remaining, 0)
return done({ 'done' })
