#!lua flags=no-writes
-- Return articles without a group, newest first, looking at some of the newest up to a publish time. Leaves out
-- those of which a moderator decided that no group fits.
-- keys: time:
-- args: highest wanted fields*
-- helpers: common: exact try
-- highest is the highest time, as ZRANGEBYSCORE takes it; wanted is how many to return, at most.
-- Answers  the time of the last article looked at, or "" if there is none after it;  how many articles without a group
--          there are among all that were looked at, those past the last one too;  1 if there is none after these, or 0;
--          then a list for each article: the member, then its fields, each nil where there is none
local found = redis.call('ZREVRANGEBYSCORE', time_key, highest, '-inf', 'WITHSCORES', 'LIMIT', 0, SORT_STEP)
local rows, last, count = {}, '', 0
for i = 1, #found, 2 do
  local stored = try('HMGET', prefix .. found[i], 'groups', 'no-group')
  -- A key of another type is no article; another program's article may have no such field.
  local is_unsorted = stored and not string.find(stored[1] or '', '%S') and stored[2] ~= '1'
  count = is_unsorted and count + 1 or count
  if is_unsorted and count <= tonumber(wanted) then
    local row = redis.pcall('HMGET', prefix .. found[i], unpack(fields))
    table.insert(row, 1, found[i])
    rows[#rows + 1] = row
  end
  if count < tonumber(wanted) or count == tonumber(wanted) and is_unsorted then
    last = exact(tonumber(found[i + 1])) -- Redis writes a few of them as 1.7e+9, which no address takes
  end
end
if #rows < tonumber(wanted) and #found < 2 * SORT_STEP then
  last = ''
end
return { last, count, #found < 2 * SORT_STEP and 1 or 0, unpack(rows) }
