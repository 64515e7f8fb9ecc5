-- Create an invitation.
-- KEYS  1 invite:<token>  2 invites:<member>
-- ARGV  1 the invitation as a member of rankings  2 its maker's name  3 unix time at which it expires
-- Answers  made
local member, name, expires = unpack(ARGV)
check_types(1, 1, 'hash')
check_types(2, 2, 'zset')
redis.call('HSET', KEYS[1], 'by', name, 'until', expires)
redis.call('ZADD', KEYS[2], expires, member)
return { 'made' }
