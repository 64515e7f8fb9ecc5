-- Set fields of a member who has not left.
-- KEYS  1 user:<name>  then the log's
-- ARGV  1-3 the log's (see common.lua)  4 "banned" or "free": only if the member is that; "" for any
--       then field, value, and so on
-- Answers  done | same (nothing was written) | unknown
local condition = ARGV[4]
local FIRST_FIELD = 5
local id, left, banned = unpack(redis.call('HMGET', KEYS[1], 'id', 'left', 'banned'))
if not id or left then
  return { 'unknown' }
elseif condition ~= '' and (condition == 'banned') ~= ((banned or '0') ~= '0') then
  return { 'same' }
end
check_log()
local changed = false
for i = FIRST_FIELD, #ARGV, 2 do
  if redis.call('HGET', KEYS[1], ARGV[i]) ~= ARGV[i + 1] then
    changed = true
  end
end
if not changed then
  return { 'same' }
end
redis.call('HSET', KEYS[1], unpack(ARGV, FIRST_FIELD))
write_log_entry()
return { 'done' }
