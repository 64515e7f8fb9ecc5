-- Takes the name of a member who left off an article.
-- KEYS  1 article:<id>  2 posted:<member>  3 gone:<member>
-- ARGV  1 what stands in place of the name
-- Answers  done
check(2, 3, 'zset')
if redis.call('HEXISTS', KEYS[1], 'time') == 1 then
  redis.call('HSET', KEYS[1], 'poster', ARGV[1])
end
redis.call('ZREM', KEYS[2], KEYS[1])
redis.call('ZREM', KEYS[3], KEYS[1])
return { 'done' }
