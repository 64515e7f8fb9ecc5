-- Put the id of a log entry once, and where it belongs, into a list of ids that must hold it: ids ascend.
-- KEYS  1 the list
-- ARGV  1 id
-- Answers  repaired | unchanged
local id = tonumber(ARGV[1])
local function id_at(place)
  return tonumber(redis.call('LINDEX', KEYS[1], place) or '')
end
local places = redis.call('LPOS', KEYS[1], ARGV[1], 'COUNT', 0)
local before = #places == 1 and places[1] > 0 and id_at(places[1] - 1) or 0
local after = #places == 1 and id_at(places[1] + 1) or math.huge
if #places == 1 and before < id and id < after then
  return { 'unchanged' }
end
redis.call('LREM', KEYS[1], 0, ARGV[1])
local first, last = 0, redis.call('LLEN', KEYS[1])
while first < last do
  local middle = math.floor((first + last) / 2)
  if (id_at(middle) or 0) < id then
    first = middle + 1
  else
    last = middle
  end
end
local next_id = redis.call('LINDEX', KEYS[1], first)
if next_id then
  redis.call('LINSERT', KEYS[1], 'BEFORE', next_id, ARGV[1])
else
  redis.call('RPUSH', KEYS[1], ARGV[1])
end
return { 'repaired' }
