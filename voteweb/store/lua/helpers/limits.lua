-- Count one act against the rate limits whose keys are KEYS[first_key] and all up to KEYS[last_key] (by default the
-- last), or against none of them if one is exceeded (generic cell rate algorithm). ARGV from first_argument on holds two
-- numbers per limit: acts at once (the burst), and seconds per act in the long run (the interval). A limit's key holds
-- the time up to which its acts are used up: each act adds an interval, and the next is accepted while no more than the
-- burst lies ahead. With when_full a server whose memory is full counts too, so that people can log in and moderate.
-- Returns the answer of the script when a limit is exceeded, else nil.
local function hit_rate_limits(first_key, first_argument, last_key, when_full)
  local time, used_until, exceeded, wait = tonumber(now()), {}, 0, 0
  for i = first_key, last_key or #KEYS do
    local at = first_argument + 2 * (i - first_key)
    local burst, interval = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
    local stored = tonumber(redis.call('GET', KEYS[i]) or '') or 0
    -- Never further ahead than the limit allows: it may have been wider, or the clock another server's.
    used_until[i] = math.min(math.max(stored, time), time + burst * interval)
    local ahead = used_until[i] - (burst - 1) * interval - time
    if ahead > wait then
      exceeded, wait = i - first_key + 1, ahead
    end
  end
  if exceeded > 0 then
    return { 'rate-limited', tostring(exceeded), exact(wait), exact(time + wait) }
  end
  if when_full then
    write_when_full(KEYS[first_key])
  end
  for i = first_key, last_key or #KEYS do
    local used = used_until[i] + tonumber(ARGV[first_argument + 2 * (i - first_key) + 1])
    redis.call('SET', KEYS[i], exact(used), 'EX', string.format('%d', math.ceil(used - time)))
  end
end
