-- Counts one act against limits, unless one of them is used up: then against none.
-- A limit's key holds the time up to which its acts are used up: each act adds its pause, and the next is taken
-- while no more than the burst lies ahead. Not the same when run twice: an act may count twice, which harms nobody.
-- KEYS  1 limit:<kind>-<digest>, and so on: one for each limit
-- ARGV  1 acts at once  2 seconds per act in the long run, and so on for each limit
-- Answers  counted | full <number of the limit, from 1> <seconds to wait> <unix time from which it is taken>
check(1, #KEYS, 'string')
local at, until_then, worst, wait = tonumber(now()), {}, 0, 0
for i = 1, #KEYS do
  local burst, pause = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  local stored = tonumber(redis.call('GET', KEYS[i]) or '') or 0
  -- Never further ahead than the limit allows: it may have been wider, or the clock another server's.
  until_then[i] = math.min(math.max(stored, at), at + burst * pause)
  local ahead = until_then[i] - (burst - 1) * pause - at
  if ahead > wait then
    worst, wait = i, ahead
  end
end
if worst > 0 then
  return { 'full', tostring(worst), exact(wait), exact(at + wait) }
end
for i = 1, #KEYS do
  local taken = until_then[i] + tonumber(ARGV[2 * i])
  redis.call('SET', KEYS[i], exact(taken), 'EX', string.format('%d', math.ceil(taken - at)))
end
return { 'counted' }
