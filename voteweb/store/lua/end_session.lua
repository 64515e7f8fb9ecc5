-- End one session of a member. One that began before sessions were stored is remembered as ended, since its cookie alone
-- would open it again.
-- KEYS  1 sessions:<name>
-- ARGV  1 digest of the session  2 seconds for which an ended one is remembered
-- Answers  ended | unknown (it has ended before)
local digest, seconds = unpack(ARGV)
local value = redis.call('HGET', KEYS[1], digest)
if not string.match(value or '', '^%d+,%d+,') then
  return { 'unknown' }
end
redis.call('HDEL', KEYS[1], digest)
if string.sub(value, -2) == ',*' then
  local ends = math.ceil(tonumber(now()) + tonumber(seconds))
  redis.call('HSET', KEYS[1], digest, string.format('-%d', ends))
  keep_sessions(1, ends)
end
return { 'ended' }
