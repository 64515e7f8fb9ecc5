-- Sets fields of a member who is there and has not left.
-- KEYS  1 user:<name>  then the log's
-- ARGV  1 number of the log's keys  2 log entry  3 "banned" or "free": only if the member is that; "" for any
--       then field, value, and so on
-- Answers  done | same (nothing is written) | unknown
local id, left, banned = unpack(redis.call('HMGET', KEYS[1], 'id', 'left', 'banned'))
if not id or left then
  return { 'unknown' }
elseif ARGV[3] ~= '' and (ARGV[3] == 'banned') ~= ((banned or '0') ~= '0') then
  return { 'same' }
end
check_log()
local changed = false
for i = 4, #ARGV, 2 do
  if redis.call('HGET', KEYS[1], ARGV[i]) ~= ARGV[i + 1] then
    changed = true
  end
end
if not changed then
  return { 'same' }
end
redis.call('HSET', KEYS[1], unpack(ARGV, 4))
record()
return { 'done' }
