#!lua flags=no-writes
-- Read some entries of the log, newest first.
-- keys: {list} log-entries:
-- args: newer since until_time count
-- The list has the ids that index them, by time. Those of before since or from until_time on are left out, "" for none;
-- and so many newer ones; so many are read.
-- Answers  <how many are not left out for their time>, then for each entry its id and the entry
local function entry_at(place)
  return redis.call('LINDEX', log_entries_key, redis.call('LINDEX', list_key, place) - 1) or ''
end
-- How many ids of the list are of entries from before a time.
local length = redis.call('LLEN', list_key)
local function before(time)
  local low, high = 0, length
  while low < high do
    local middle = math.floor((low + high) / 2)
    local is_entry, fields = pcall(cjson.decode, entry_at(middle))
    if is_entry and type(fields) == 'table' and (tonumber(fields[3]) or 0) >= tonumber(time) then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end
local first = since ~= '' and before(since) or 0
local last = until_time ~= '' and before(until_time) or length
local answer, ids = { math.max(last - first, 0) }, {}
if last - newer > first then
  ids = redis.call('LRANGE', list_key, math.max(last - newer - count, first), last - newer - 1)
end
-- Those of the whole log follow one another: one command reads them in a tenth of the time.
local oldest = tonumber(ids[1])
local entries = oldest and ids[#ids] - oldest == #ids - 1
  and redis.call('LRANGE', log_entries_key, oldest - 1, ids[#ids] - 1)
for i = #ids, 1, -1 do
  answer[#answer + 1] = ids[i]
  answer[#answer + 1] = entries and entries[i] or redis.call('LINDEX', log_entries_key, ids[i] - 1) or ''
end
return answer
