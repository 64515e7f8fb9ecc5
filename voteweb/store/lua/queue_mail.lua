-- Queue a mail, unless the same one waits. Whether its member exists is for the job that sends it: the page must not tell.
-- KEYS  1 outbox:  2 mails:  then the act's
-- ARGV  1-3 the act's (see acts.lua)  4 the entry, "<kind> <name>"  5 how many mails wait at most
-- Answers  queued (by this call or before) | waiting (the same one does) | full
local before = answer_before()
if before then
  return before
end
local entry, most = unpack(ARGV, 4)
check_types(1, 1, 'zset')
check_types(2, 2, 'hash')
if redis.call('ZSCORE', KEYS[1], entry) then
  return { 'waiting' }
elseif is_outbox_full(1, entry, most) then
  return { 'full' }
end
put_mail(1, 2, entry)
return done({ 'queued' })
