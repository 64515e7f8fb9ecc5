#!lua flags=no-writes
-- Return a part of a ranking, highest first, each member with fields of the hash it stands for.
-- SORT … BY nosort GET does the same in half the time, but turns a small ranking for good into one of four times the
-- size, and is refused on clusters and to users without @dangerous.
-- keys: {ranking}
-- args: first count newest fields*
-- helpers: common: refuse_elsewhere
-- first is the position of the first row, from 0, among those whose score is at most newest, "" for all.
-- Answers  a list for each row: the member, then its fields, each nil where there is no such field, hash or access
first = first + (newest ~= '' and redis.call('ZCOUNT', ranking_key, '(' .. newest, '+inf') or 0)
local rows = tonumber(count) > 0 and redis.call('ZREVRANGE', ranking_key, first, first + count - 1) or {}
for i, member in ipairs(rows) do
  local row = redis.pcall('HMGET', prefix .. member, unpack(fields))
  if row.err then
    refuse_elsewhere(row)
    row = {}
    for j = 1, #fields do
      row[j] = false
    end
  end
  table.insert(row, 1, member)
  rows[i] = row
end
return rows
