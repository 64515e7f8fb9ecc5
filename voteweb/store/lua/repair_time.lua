-- Give an article that has lost its publish time, or a member who has lost the time of joining, that of a ranking.
-- KEYS  1 article:<id> or user:<name>  2 a ranking that holds it by that time  3 changes:
-- ARGV  1 the member of the ranking  2 the field
-- Answers  repaired | unchanged (the field has a time, or the ranking has none) | unrepairable
local member, field = unpack(ARGV)
check_types(2, 2, 'zset')
check_types(3, 3, 'stream')
local function is_time(number)
  return number and number >= 0 and number < math.huge
end
local ranked = tonumber(redis.call('ZSCORE', KEYS[2], member) or '')
if redis.call('EXISTS', KEYS[1]) == 0 or is_time(tonumber(redis.call('HGET', KEYS[1], field) or '')) then
  return { 'unchanged' }
elseif not is_time(ranked) then
  return { 'unrepairable' }
end
redis.call('HSET', KEYS[1], field, string.format('%.6f', ranked))
if field == 'time' then
  record_change(KEYS[3], 't', member)
end
return { 'repaired' }
