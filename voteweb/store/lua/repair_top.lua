-- Take out of a ranking by votes what it must not hold: articles that stand below one that it left out, and the lowest
-- of those beyond the number that it holds.
-- keys: {ranking}
-- helpers: common: check_type; rankings: LEFT_OUT trim_best
-- Answers  repaired | unchanged
check_type(ranking_key, 'zset')
local before = redis.call('ZCARD', ranking_key)
local left_out = redis.call('ZSCORE', ranking_key, LEFT_OUT)
if left_out then
  redis.call('ZREMRANGEBYSCORE', ranking_key, '-inf', '(' .. left_out)
end
trim_best(ranking_key, tonumber(MAX_RANKED))
return { redis.call('ZCARD', ranking_key) < before and 'repaired' or 'unchanged' }
