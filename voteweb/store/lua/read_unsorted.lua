-- Return articles without a group, newest first, looking at some of the newest up to a publish time. Only reads.
-- KEYS  1 time:
-- ARGV  1 the prefix of the site's keys, which members do not carry  2 the highest time, as ZRANGEBYSCORE takes it
--       3 how many articles to look at, at most  4 how many to return, at most  then the fields, the first of which is
--       that of the groups
-- Answers  the time of the last article looked at, or "" if there is none after it;  then a list for each article
--          without a group: the member, then its fields, each nil where there is none
local prefix, highest, looked, wanted = unpack(ARGV)
local found = redis.call('ZREVRANGEBYSCORE', KEYS[1], highest, '-inf', 'WITHSCORES', 'LIMIT', 0, looked)
local rows, last = {}, ''
for i = 1, #found, 2 do
  local groups = redis.pcall('HGET', prefix .. found[i], ARGV[5])
  if type(groups) == 'table' then
    refuse_elsewhere(groups)
  end
  -- A key of another type is no article; another program's article may have no such field.
  if type(groups) ~= 'table' and not string.find(groups or '', '%S') then
    local row = redis.pcall('HMGET', prefix .. found[i], unpack(ARGV, 5))
    table.insert(row, 1, found[i])
    rows[#rows + 1] = row
  end
  last = found[i + 1]
  if #rows == tonumber(wanted) then
    break
  end
end
if #rows < tonumber(wanted) and #found < 2 * looked then
  last = ''
end
return { last, unpack(rows) }
