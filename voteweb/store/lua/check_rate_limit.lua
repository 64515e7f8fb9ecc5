-- Tell whether a rate limit would accept an act, and count nothing.
-- KEYS  1 limit:<kind>-<digest>
-- ARGV  1 acts at once  2 seconds per act in the long run
-- Answers  free | rate-limited 1 <seconds to wait> <unix time from which it is accepted>
check_types(1, 1, 'string')
local burst, interval, time = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(now())
local stored = tonumber(redis.call('GET', KEYS[1]) or '') or 0
-- The same sum as in hit_rate_limits().
local wait = math.min(stored, time + burst * interval) - (burst - 1) * interval - time
if wait > 0 then
  return { 'rate-limited', '1', exact(wait), exact(time + wait) }
end
return { 'free' }
