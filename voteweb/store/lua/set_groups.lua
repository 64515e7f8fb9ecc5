-- Puts an article into groups and takes it out of others, in one act.
-- KEYS  1 article:<id>  2 groups:  then for each group named, first those to add, three: group:<g> time:<g> score:<g>
--       then the log's (see record in common.lua)
-- ARGV  1 number of the log's keys  2 log entry  3 seconds per vote  4 groups an article may be in
--       5 how many of the names are to add  then the names
-- Answers  set <groups> (as they now are) | unknown | gone | no-group <names> | too-many
local title, posted, votes, field, gone = unpack(
  redis.call('HMGET', KEYS[1], 'title', 'time', 'votes', 'groups', 'gone'))
if not title or not posted then
  return { 'unknown' }
elseif gone then
  return { 'gone' }
end
check(2, 2, 'set')
check_groups(6, 3)
check_log()
local kept, member_of, missing = plan_groups(field, 6, tonumber(ARGV[5]), 2)
local _, before = string.gsub(field or '', '%S+', '')
if #missing > 0 then
  return { 'no-group', table.concat(missing, ' ') }
end
-- An article that a program after the book put into more groups may still lose some of them.
if #kept > tonumber(ARGV[4]) and #kept > before then
  return { 'too-many' }
end

local time = tonumber(posted)
local added, removed = move_groups(6, 3, member_of, time, time + tonumber(votes or 0) * tonumber(ARGV[3]), KEYS[1])
local groups = table.concat(kept, ' ')
redis.call('HSET', KEYS[1], 'groups', groups)
if added ~= '' or removed ~= '' then
  record({ added = added, removed = removed })
end
return { 'set', groups }
