-- Remove an invitation by a member who left, used or not.
-- KEYS  1 invite:<digest>  2 invites:<member>
-- ARGV  1 the invitation as a member of rankings
-- Answers  removed
check_types(1, 1, 'hash')
check_types(2, 2, 'zset')
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
return { 'removed' }
