-- Read some entries of the log, newest first.
-- KEYS  1 the list of ids that indexes them  2 log-entries:
-- ARGV  1 how many newer ones to leave out  2 how many to read
-- Answers  <how many the list has>, then for each entry its id and the entry
local skipped, count = tonumber(ARGV[1]), tonumber(ARGV[2])
local answer = { redis.call('LLEN', KEYS[1]) }
local ids = redis.call('LRANGE', KEYS[1], -skipped - count, -skipped - 1)
for i = #ids, 1, -1 do
  answer[#answer + 1] = ids[i]
  answer[#answer + 1] = redis.call('LINDEX', KEYS[2], ids[i] - 1) or ''
end
return answer
