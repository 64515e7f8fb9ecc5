-- Return articles without a group, newest first, looking at some of the newest up to a publish time. Only reads.
-- keys: time:
-- args: highest wanted fields*
-- highest is the highest time, as ZRANGEBYSCORE takes it; wanted is how many to return, at most.
-- Answers  the time of the last article looked at, or "" if there is none after it;  then a list for each article
--          without a group: the member, then its fields, each nil where there is none
local found = redis.call('ZREVRANGEBYSCORE', time_key, highest, '-inf', 'WITHSCORES', 'LIMIT', 0, SORT_STEP)
local rows, last = {}, ''
for i = 1, #found, 2 do
  local groups = try('HGET', prefix .. found[i], 'groups')
  -- A key of another type is no article; another program's article may have no such field.
  if groups ~= nil and not string.find(groups or '', '%S') then
    local row = redis.pcall('HMGET', prefix .. found[i], unpack(fields))
    table.insert(row, 1, found[i])
    rows[#rows + 1] = row
  end
  last = found[i + 1]
  if #rows == tonumber(wanted) then
    break
  end
end
if #rows < tonumber(wanted) and #found < 2 * SORT_STEP then
  last = ''
end
return { last, unpack(rows) }
