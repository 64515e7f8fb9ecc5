-- Create an invitation.
-- KEYS  1 invite:<digest>  2 invites:<member>  then the actor's
-- ARGV  1 the invitation as a member of rankings  2 its maker's name  3 seconds for which it is valid
--       then the actor's
-- Answers  made <unix time at which it expires> (also if it was made before) | logged-out | forbidden
local refusal = check_actor()
if refusal then
  return refusal
end
local member, name, seconds = unpack(ARGV)
check_types(1, 1, 'hash')
check_types(2, 2, 'zset')
local expires = redis.call('HGET', KEYS[1], 'until') or exact(tonumber(now()) + tonumber(seconds))
redis.call('HSET', KEYS[1], 'by', name, 'until', expires)
redis.call('ZADD', KEYS[2], expires, member)
return { 'made', expires }
