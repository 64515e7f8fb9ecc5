-- Changes title, link, text and groups of an article: its poster's in the first minutes, a moderator's at any time.
-- KEYS  1 article:<id>  2 groups:  3 link:<digest> as it was  4 link:<digest> as it will be
--       then for each group named, first those to add, three: group:<g> time:<g> score:<g>;  then the log's
-- ARGV  1 number of the log's keys  2 log entry  3 poster's name, or empty for a moderator  4 seconds to edit
--       5 seconds per vote  6 groups an article may be in  7 title  8 link  9 text  10 the link as the caller knows it
--       11 seconds a link is remembered  12 how many of the names are to add  then the names
-- Answers  edited | unknown | gone | not-yours | late <unix time> | again <link> | no-group <names> | too-many
local title, link, text, poster, posted, votes, field, gone = unpack(
  redis.call('HMGET', KEYS[1], 'title', 'link', 'text', 'poster', 'time', 'votes', 'groups', 'gone'))
if not title or not posted then
  return { 'unknown' }
elseif gone then
  return { 'gone' }
end
local time = tonumber(posted)
if ARGV[3] ~= '' then
  if string.lower(poster or '') ~= string.lower(ARGV[3]) then
    return { 'not-yours' }
  elseif tonumber(now()) >= time + tonumber(ARGV[4]) then
    return { 'late', exact(time + tonumber(ARGV[4])) }
  end
end
if (link or '') ~= ARGV[10] then
  return { 'again', link or '' }
end
check(2, 2, 'set')
check(3, 4, 'zset')
check_groups(13, 5)
check_log()
local kept, member_of, missing = plan_groups(field, 13, tonumber(ARGV[12]), 2)
local _, before = string.gsub(field or '', '%S+', '')
if #missing > 0 then
  return { 'no-group', table.concat(missing, ' ') }
elseif #kept > tonumber(ARGV[6]) and #kept > before then
  return { 'too-many' }
end

local points = time + tonumber(votes or 0) * tonumber(ARGV[5])
local added, removed = move_groups(13, 5, member_of, time, points, KEYS[1])
redis.call('HSET', KEYS[1], 'title', ARGV[7], 'link', ARGV[8], 'text', ARGV[9], 'groups', table.concat(kept, ' '))
if ARGV[8] ~= ARGV[10] then
  redis.call('ZREM', KEYS[3], KEYS[1])
  if ARGV[8] ~= '' then
    remember_link(KEYS[4], time, tonumber(ARGV[11]), KEYS[1])
  end
end
if title ~= ARGV[7] or (link or '') ~= ARGV[8] or (text or '') ~= ARGV[9] then
  redis.call('HSET', KEYS[1], 'edited', now())
  record({ added = added, removed = removed })
elseif added ~= '' or removed ~= '' then
  record({ added = added, removed = removed })
end
return { 'edited' }
