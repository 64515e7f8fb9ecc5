-- Change title, link, text and groups of an article: its poster may in the first minutes, a moderator at any time.
-- KEYS  1 article:<id>  2 groups:  3 link:<digest> as it was  4 link:<digest> as it will be
--       then for each group named, first those to add, three: group:<g> time:<g> score:<g>;  then the log's
-- ARGV  1-3 the log's (see common.lua)  4 the article as a member of rankings  5 poster's name, or empty for a moderator
--       6 seconds to edit  7 seconds per vote  8 groups an article may be in  9 title  10 link  11 text
--       12 the link as the caller knows it  13 seconds a link is remembered  14 how many of the names are to add
--       then the names
-- Answers  edited | unknown | gone | not-yours | late <unix time> | again <link> | no-group <names> | too-many
local member, editor, edit_seconds, vote_score, max_groups, new_title, new_link, new_text, known_link, link_seconds,
  add_count = unpack(ARGV, 4)
local FIRST_GROUP_KEY, FIRST_GROUP_NAME = 5, 15
local title, link, text, poster, posted, votes, field, gone = unpack(
  redis.call('HMGET', KEYS[1], 'title', 'link', 'text', 'poster', 'time', 'votes', 'groups', 'gone'))
if not title or not posted then
  return { 'unknown' }
elseif gone then
  return { 'gone' }
end
local time = tonumber(posted)
if editor ~= '' then
  if string.lower(poster or '') ~= string.lower(editor) then
    return { 'not-yours' }
  elseif tonumber(now()) >= time + tonumber(edit_seconds) then
    return { 'late', exact(time + tonumber(edit_seconds)) }
  end
end
if (link or '') ~= known_link then
  return { 'again', link or '' }
end
check_types(2, 2, 'set')
check_types(3, 4, 'zset')
check_groups(FIRST_GROUP_NAME, FIRST_GROUP_KEY)
check_log()
local remaining, in_group, unknown = plan_groups(field, FIRST_GROUP_NAME, tonumber(add_count), 2)
local _, count_before = string.gsub(field or '', '%S+', '')
if #unknown > 0 then
  return { 'no-group', table.concat(unknown, ' ') }
elseif #remaining > tonumber(max_groups) and #remaining > count_before then
  return { 'too-many' }
end

local points = score(time, tonumber(votes or 0), tonumber(vote_score))
local added, removed = move_groups(FIRST_GROUP_NAME, FIRST_GROUP_KEY, in_group, time, points, member)
redis.call('HSET', KEYS[1], 'title', new_title, 'link', new_link, 'text', new_text,
  'groups', table.concat(remaining, ' '))
if new_link ~= known_link then
  redis.call('ZREM', KEYS[3], member)
  if new_link ~= '' then
    remember_link(KEYS[4], time, tonumber(link_seconds), member)
  end
end
if title ~= new_title or (link or '') ~= new_link or (text or '') ~= new_text then
  redis.call('HSET', KEYS[1], 'edited', now())
  write_log_entry({ added = added, removed = removed })
elseif added ~= '' or removed ~= '' then
  write_log_entry({ added = added, removed = removed })
end
return { 'edited' }
