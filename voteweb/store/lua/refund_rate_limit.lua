-- Take back what hit_rate_limit counted, for an act that turned out not to count.
-- keys: done:{token} limit:{limits}*
-- args: intervals*
-- helpers: common: exact now write_when_full; members: answer_before done
-- intervals are for each limit seconds per act in the long run.
-- Answers  done
local before = answer_before(done_key)
if before then
  return before
end
check_keys()
local time = tonumber(now())
write_when_full(limit_keys[1])
for i, key in ipairs(limit_keys) do
  local used_until = (tonumber(redis.call('GET', key) or '') or 0) - tonumber(intervals[i])
  if used_until > time then
    redis.call('SET', key, exact(used_until), 'EX', string.format('%d', math.ceil(used_until - time)))
  else
    redis.call('DEL', key)
  end
end
return done(done_key, { 'done' })
