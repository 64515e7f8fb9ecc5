-- Note the end of an attempt to send a mail, unless the mail has been taken by another process or was replaced since.
-- KEYS  1 outbox:  2 mails:  3 mail-status:
-- ARGV  1 the entry  2 the token of the claim  3 "sent", "nothing", "refused", "failed" or "dropped"
--       4 seconds until it is tried again; empty: it is done  5 the failure, without anything secret
-- Answers  done | lost (it is no longer this process's; also by this call before)
local entry, token, outcome, seconds, failure = unpack(ARGV)
check_types(1, 1, 'zset')
check_types(2, 2, 'hash')
check_types(3, 3, 'hash')
local since, tries, claim = string.match(redis.call('HGET', KEYS[2], entry) or '', '^(%S+) (%d+) (%S+)$')
if claim ~= token then
  return { 'lost' }
end
if seconds == '' then
  redis.call('ZREM', KEYS[1], entry)
  redis.call('HDEL', KEYS[2], entry)
else
  redis.call('ZADD', KEYS[1], string.format('%.6f', tonumber(now()) + seconds), entry)
  redis.call('HSET', KEYS[2], entry, table.concat({ since, tries, '-' }, ' '))
end
redis.pcall('HINCRBY', KEYS[3], outcome, 1)
if outcome == 'sent' or outcome == 'refused' then
  redis.call('HDEL', KEYS[3], 'failing', 'failure')
elseif outcome ~= 'nothing' then
  redis.call('HSETNX', KEYS[3], 'failing', now())
  redis.call('HSET', KEYS[3], 'failure', failure)
end
return { 'done' }
