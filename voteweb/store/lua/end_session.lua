-- End one session of a member.
-- KEYS  1 sessions:<name>
-- ARGV  1 digest of the session
-- Answers  ended | unknown (it has ended before)
local digest = ARGV[1]
if not string.match(redis.call('HGET', KEYS[1], digest) or '', '^%d+,%d+,') then
  return { 'unknown' }
end
redis.call('HDEL', KEYS[1], digest)
return { 'ended' }
