-- Answer the removal of an article as its poster, once: the answer waits for the moderators.
-- KEYS  1 article:<id>  2 gone:<member>  3 answers:, then the actor's
-- ARGV  1 the article as a member of rankings  2 the answer, then the actor's
-- Answers  answered | already (there is another answer) | unknown | not-removed | not-yours
--          | logged-out | held | forbidden
local refusal = check_actor()
if refusal then
  return refusal
end
local member, text = unpack(ARGV)
check_types(2, 3, 'zset')
local title, gone, before = unpack(redis.call('HMGET', KEYS[1], 'title', 'gone', 'answer'))
if not title then
  return { 'unknown' }
elseif gone ~= 'removed' then
  return { 'not-removed' }
elseif not redis.call('ZSCORE', KEYS[2], member) then
  return { 'not-yours' }
elseif before then
  return { before == text and 'answered' or 'already' }
end
local time = now()
redis.call('HSET', KEYS[1], 'answer', text, 'answered', time)
rank(KEYS[3], finite(time), member)
return { 'answered' }
