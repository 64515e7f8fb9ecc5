-- Give a background job back, and note when it was done, unless another process has it by now.
-- KEYS  1 lease:<job>  2 jobs:
-- ARGV  1 token of the process  2 name of the job  3 whether it was done to its end (0 or 1)
-- Answers  ended | lost (this process does not hold the lease)
local token, job, is_done = unpack(ARGV)
check_types(2, 2, 'hash')
if redis.call('GET', KEYS[1]) ~= token then
  return { 'lost' }
end
if is_done == '1' then
  redis.call('HSET', KEYS[2], job, now())
end
redis.call('DEL', KEYS[1])
return { 'ended' }
