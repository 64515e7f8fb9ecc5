-- Note an attempt to log in, and forget those that are too old or too many. Of one member, those that logged in and those
-- that did not are counted apart: whoever knows no password cannot push out the trace of who did.
-- KEYS  1 log-ins:  2 log-ins:<name>, if a member has the name
-- ARGV  1 entry  2 seconds for which entries are kept  3 entries that are kept  4 of a member, of each of the two
-- Answers  done | same
check_types(1, #KEYS, 'zset')
local entry, seconds, most, member_most = unpack(ARGV)

local function is_in(text)
  local is_json, values = pcall(cjson.decode, text)
  return is_json and type(values) == 'table' and values[2] == 'in'
end

if redis.call('ZADD', KEYS[1], 'NX', now(), entry) == 0 then
  return { 'same' }
end
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -tonumber(most) - 1)
if KEYS[2] then
  redis.call('ZADD', KEYS[2], now(), entry)
  local alike = {}
  for _, text in ipairs(redis.call('ZREVRANGE', KEYS[2], 0, -1)) do
    if is_in(text) == is_in(entry) then
      alike[#alike + 1] = text
    end
  end
  for at = tonumber(member_most) + 1, #alike do
    redis.call('ZREM', KEYS[2], alike[at])
  end
end
for _, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', key, '-inf', '(' .. exact(tonumber(now()) - tonumber(seconds)))
  redis.call('EXPIRE', key, seconds)
end
return { 'done' }
