-- Take the mail that has been due for the longest time: no other process takes it until the claim ends.
-- KEYS  1 outbox:  2 mails:  then the act's
-- ARGV  1-3 the act's (see acts.lua)  4 seconds of the claim  5 its token
-- Answers  taken <entry> <since> <tries, with this one> | none
local before = answer_before()
if before then
  return before
end
local seconds, token = unpack(ARGV, 4)
check_types(1, 1, 'zset')
check_types(2, 2, 'hash')
local entry = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now(), 'LIMIT', 0, 1)[1]
if not entry then
  return { 'none' }
end
local since, tries = string.match(redis.call('HGET', KEYS[2], entry) or '', '^(%S+) (%d+) ')
since, tries = since or now(), string.format('%d', (tries or 0) + 1)
redis.call('ZADD', KEYS[1], string.format('%.6f', tonumber(now()) + seconds), entry)
redis.call('HSET', KEYS[2], entry, table.concat({ since, tries, token }, ' '))
return done({ 'taken', entry, since, tries })
