-- Return a part of a ranking, highest first, each member with fields of the hash it stands for. Only reads.
-- SORT … BY nosort GET does the same in half the time, but turns a small ranking for good into one of four times the
-- size, and is refused on clusters and to users without @dangerous.
-- KEYS  1 the ranking
-- ARGV  1 the prefix of the site's keys, which members do not carry  2 position of the first row, from 0
--       3 how many rows  then the fields
-- Answers  a list for each row: the member, then its fields, each nil where there is no such field, hash or access
local count = tonumber(ARGV[3])
local rows = count > 0 and redis.call('ZREVRANGE', KEYS[1], ARGV[2], ARGV[2] + count - 1) or {}
for i, member in ipairs(rows) do
  local row = redis.pcall('HMGET', ARGV[1] .. member, unpack(ARGV, 4))
  if row.err then
    refuse_elsewhere(row)
    row = {}
    for j = 4, #ARGV do
      row[j - 3] = false
    end
  end
  table.insert(row, 1, member)
  rows[i] = row
end
return rows
