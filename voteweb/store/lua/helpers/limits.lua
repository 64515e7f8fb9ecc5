-- Count one act against the rate limits in the first of these keys, as many as count, or against none of them if one is
-- exceeded (generic cell rate algorithm). rates has two numbers per limit: acts at once (the burst), and seconds per act
-- in the long run (the interval). A limit's key holds the time up to which its acts are used up: each act adds an interval,
-- and the next is accepted while no more than the burst lies ahead. Returns the answer of the script when a limit is
-- exceeded, else nil. The mode is "asked" if nothing is to be counted, and "when-full" for acts that a server whose memory is
-- full counts too, so that people can log in and moderate.
local function hit_rate_limits(keys, rates, count, mode)
  local time, used_until, exceeded, wait = tonumber(now()), {}, 0, 0
  for i = 1, count do
    local burst, interval = tonumber(rates[2 * i - 1]), tonumber(rates[2 * i])
    local stored = tonumber(redis.call('GET', keys[i]) or '') or 0
    -- Never further ahead than the limit allows: it may have been wider, or the clock another server's.
    used_until[i] = math.min(math.max(stored, time), time + burst * interval)
    local ahead = used_until[i] - (burst - 1) * interval - time
    if ahead > wait then
      exceeded, wait = i, ahead
    end
  end
  if exceeded > 0 then
    return { 'rate-limited', tostring(exceeded), exact(wait), exact(time + wait) }
  end
  if mode == 'when-full' and count > 0 then
    write_when_full(keys[1])
  end
  for i = 1, mode == 'asked' and 0 or count do
    local used = used_until[i] + tonumber(rates[2 * i])
    redis.call('SET', keys[i], exact(used), 'EX', string.format('%d', math.ceil(used - time)))
  end
end
