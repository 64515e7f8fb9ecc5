-- Makes an invitation.
-- KEYS  1 invite:<token>  2 invites:<member>
-- ARGV  1 member's name  2 unix time of its end
-- Answers  made
check(1, 1, 'hash')
check(2, 2, 'zset')
redis.call('HSET', KEYS[1], 'by', ARGV[1], 'until', ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[2], KEYS[1])
return { 'made' }
