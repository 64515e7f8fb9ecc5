-- Read what every page of a member shows of them: the member, the session, what is unread in their inbox and, for a
-- moderator, how much waits. One command takes a page half the time of one for each. Only reads.
-- KEYS  1 removing:  2 user:<name>  3 sessions:<name>  4 unread:<name>  5 log-entries:  then sorted sets of what waits
-- ARGV  1 the beginning of the keys of articles  2 of threads  3 of words  4 of hidden comments
--       5 seconds for which an inbox holds an entry  6 digest of the session  then the fields of the member
-- Answers  <the role and the fields> <the owner and the value of the session> <for a moderator the size of each set>
--          <number of unread entries> <the comments that they are about> and so on
local FIRST_WAITING, FIRST_FIELD = 6, 7
local member = redis.call('HMGET', KEYS[2], 'role', unpack(ARGV, FIRST_FIELD))
local session = redis.call('HMGET', KEYS[3], 'of', ARGV[6])
local waiting = {}
if member[1] == 'moderator' or member[1] == 'admin' then
  for i = FIRST_WAITING, #KEYS do
    waiting[#waiting + 1] = redis.call('ZCARD', KEYS[i])
  end
end
local answer = { member, session, waiting, 0 }
-- Most members have read everything.
if redis.call('EXISTS', KEYS[4]) == 0 then
  return answer
end
-- The helpers stand here.
local entries = readable_entries(KEYS[4], KEYS[5], ARGV[5])
answer[4] = #entries
for _, entry in ipairs(entries) do
  if entry.id then
    answer[#answer + 1] = entry.id .. '.' .. entry.number
  end
end
return answer
