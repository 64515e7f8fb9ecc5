-- Take back what hit_rate_limit counted, for an act that turned out not to count.
-- KEYS  limit:<kind>-<digest> of each limit
-- ARGV  for each limit: seconds per act in the long run
-- Answers  done
check_types(1, #KEYS, 'string')
local time = tonumber(now())
for i = 1, #KEYS do
  local stored = tonumber(redis.call('GET', KEYS[i]) or '') or 0
  local used_until = stored - tonumber(ARGV[i])
  if used_until > time then
    redis.call('SET', KEYS[i], exact(used_until), 'EX', string.format('%d', math.ceil(used_until - time)))
  else
    redis.call('DEL', KEYS[i])
  end
end
return { 'done' }
