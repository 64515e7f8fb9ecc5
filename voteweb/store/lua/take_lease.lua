-- Take a background job for one process, or keep it; only the process that holds the lease runs the job.
-- KEYS  1 lease:<job>
-- ARGV  1 token of the process  2 seconds after which the lease expires unless it is kept
--       3 "take": also if nobody holds it; "keep": only if this process does
-- Answers  leased (to this process) | taken (by another) | lost (to keep: it has expired)
local token, seconds, mode = unpack(ARGV)
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= token then
  return { 'taken' }
elseif not holder and mode == 'keep' then
  return { 'lost' }
end
redis.call('SET', KEYS[1], token, 'EX', seconds)
return { 'leased' }
