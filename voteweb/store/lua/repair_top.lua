-- Take out of a ranking by votes what it must not hold: articles that stand below one that it left out, and the lowest
-- of those beyond the number that it holds.
-- KEYS  1 a ranking by votes
-- ARGV  1 articles that a ranking by votes holds
-- Answers  repaired | unchanged
check_types(1, 1, 'zset')
local before = redis.call('ZCARD', KEYS[1])
local left_out = redis.call('ZSCORE', KEYS[1], LEFT_OUT)
if left_out then
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. left_out)
end
trim_best(KEYS[1], tonumber(ARGV[1]))
return { redis.call('ZCARD', KEYS[1]) < before and 'repaired' or 'unchanged' }
