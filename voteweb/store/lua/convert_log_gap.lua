-- Fill the places of ids that no act of the log has.
-- KEYS  1 log-entries:
-- ARGV  1 how many places there shall be  2 how many to add at most
-- Answers  <how many places there are>
local wanted, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local count = redis.call('LLEN', KEYS[1])
for _ = count + 1, math.min(wanted, count + most) do
  count = redis.call('RPUSH', KEYS[1], '')
end
return { string.format('%d', count) }
