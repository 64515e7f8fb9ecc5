-- Note an attempt to log in, and forget those that are too old or too many.
-- KEYS  1 log-ins:
-- ARGV  1 entry  2 seconds for which entries are kept  3 entries that are kept
-- Answers  done | same
check_types(1, 1, 'zset')
local entry, seconds, most = unpack(ARGV)
if redis.call('ZADD', KEYS[1], 'NX', now(), entry) == 0 then
  return { 'same' }
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. exact(tonumber(now()) - tonumber(seconds)))
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -tonumber(most) - 1)
redis.call('EXPIRE', KEYS[1], seconds)
return { 'done' }
