-- Take back what hit_rate_limit counted, for an act that turned out not to count.
-- KEYS  limit:<kind>-<digest> of each limit, then the act's
-- ARGV  1-3 the act's (see acts.lua)  then for each limit: seconds per act in the long run
-- Answers  done
local before = answer_before()
if before then
  return before
end
local FIRST_INTERVAL = 4
local limits = #ARGV - FIRST_INTERVAL + 1
check_types(1, limits, 'string')
local time = tonumber(now())
write_when_full(KEYS[1])
for i = 1, limits do
  local stored = tonumber(redis.call('GET', KEYS[i]) or '') or 0
  local used_until = stored - tonumber(ARGV[FIRST_INTERVAL + i - 1])
  if used_until > time then
    redis.call('SET', KEYS[i], exact(used_until), 'EX', string.format('%d', math.ceil(used_until - time)))
  else
    redis.call('DEL', KEYS[i])
  end
end
return done({ 'done' })
