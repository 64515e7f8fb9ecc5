-- Put an article into the queue of answered removals, or take it out: there are the removed ones whose answer waits.
-- KEYS  1 article:<id>  2 answers:
-- ARGV  1 the article as a member of rankings
-- Answers  repaired | unchanged
local member = ARGV[1]
check_types(2, 2, 'zset')
local gone, text, answered = unpack(redis.call('HMGET', KEYS[1], 'gone', 'answer', 'answered'))
local time, queued = finite(answered or ''), redis.call('ZSCORE', KEYS[2], member)
local waits = gone == 'removed' and text and time
if waits and finite(queued or '') ~= time then
  rank(KEYS[2], time, member)
  return { 'repaired' }
elseif waits or not (queued or answered) then
  return { 'unchanged' }
end
settle_answer(KEYS[1], KEYS[2], member)
return { 'repaired' }
