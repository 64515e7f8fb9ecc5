-- Puts an article into groups and takes it out of others, in one act.
-- KEYS  1 article:<id>  2 groups:  then for each group named, first those to add, three: group:<g> time:<g> score:<g>
-- ARGV  1 seconds per vote  2 groups an article may be in  3 how many of the names are to add  then the names
-- Answers  set <groups> (as they now are) | unknown | no-group <names> | too-many
local title, posted, votes, field = unpack(redis.call('HMGET', KEYS[1], 'title', 'time', 'votes', 'groups'))
if not title or not posted then
  return { 'unknown' }
end
check(2, 2, 'set')
check_groups(4, 3)
local adding = tonumber(ARGV[3])
local missing, member_of, names = {}, {}, {}
for name in string.gmatch(field or '', '%S+') do
  member_of[name] = true
  names[#names + 1] = name
end
local before = #names
for i = 4, #ARGV do
  if i - 3 <= adding then
    if redis.call('SISMEMBER', KEYS[2], ARGV[i]) == 0 then
      missing[#missing + 1] = ARGV[i]
    elseif not member_of[ARGV[i]] then
      names[#names + 1] = ARGV[i]
    end
    member_of[ARGV[i]] = true
  else
    member_of[ARGV[i]] = false
  end
end
if #missing > 0 then
  return { 'no-group', table.concat(missing, ' ') }
end
local kept = {}
for i = 1, #names do
  if member_of[names[i]] then
    kept[#kept + 1] = names[i]
  end
end
-- An article that a program after the book put into more groups may still lose some of them.
if #kept > tonumber(ARGV[2]) and #kept > before then
  return { 'too-many' }
end

local time = tonumber(posted)
local points = time + tonumber(votes or 0) * tonumber(ARGV[1])
for i = 4, #ARGV do
  local at = 3 + 3 * (i - 4)
  if member_of[ARGV[i]] then
    enter_group(at, time, points, KEYS[1])
  else
    leave_group(at, KEYS[1])
  end
end
local groups = table.concat(kept, ' ')
redis.call('HSET', KEYS[1], 'groups', groups)
return { 'set', groups }
