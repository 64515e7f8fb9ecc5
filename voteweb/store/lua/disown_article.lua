-- Replace the name of a member who left in one of their articles, and forget its earlier versions and their answer.
-- KEYS  1 article:<id>  2 posted:<member>  3 gone:<member>  4 was:<id>  5 answers:  6 changes:
-- ARGV  1 the article as a member of rankings  2 what replaces the name
-- Answers  done
local member, replacement = unpack(ARGV)
check_types(2, 5, 'zset')
check_types(6, 6, 'stream')
write_when_full(KEYS[1])
local posted, poster = unpack(redis.call('HMGET', KEYS[1], 'time', 'poster'))
if posted and poster ~= replacement then
  redis.call('HSET', KEYS[1], 'poster', replacement)
  record_change(KEYS[6], 'a', member)
end
redis.call('ZREM', KEYS[2], member)
redis.call('ZREM', KEYS[3], member)
redis.call('UNLINK', KEYS[4])
settle_answer(KEYS[1], KEYS[5], member)
redis.call('HDEL', KEYS[1], 'answer')
return { 'done' }
