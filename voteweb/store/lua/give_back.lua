-- Takes back what charge counted, for an act that turned out not to count.
-- KEYS  1 limit:<kind>-<digest>, and so on: one for each limit
-- ARGV  1 seconds per act in the long run, and so on for each limit
-- Answers  done
check(1, #KEYS, 'string')
local at = tonumber(now())
for i = 1, #KEYS do
  local stored = tonumber(redis.call('GET', KEYS[i]) or '') or 0
  local left = stored - tonumber(ARGV[i])
  if left > at then
    redis.call('SET', KEYS[i], exact(left), 'EX', string.format('%d', math.ceil(left - at)))
  else
    redis.call('DEL', KEYS[i])
  end
end
return { 'done' }
