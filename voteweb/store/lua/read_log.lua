-- Read some entries of the log, newest first.
-- keys: {list} log-entries:
-- args: newer
-- The list has the ids that index them; so many newer ones are left out.
-- Answers  <how many the list has>, then for each entry its id and the entry
local answer = { redis.call('LLEN', list_key) }
local ids = redis.call('LRANGE', list_key, -newer - LOG_PAGE_SIZE, -newer - 1)
for i = #ids, 1, -1 do
  answer[#answer + 1] = ids[i]
  answer[#answer + 1] = redis.call('LINDEX', log_entries_key, ids[i] - 1) or ''
end
return answer
