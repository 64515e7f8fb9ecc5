-- Put an article into groups and take it out of others, in one act.
-- KEYS  1 article:<id>  2 groups:  3 changes:  then for each group named, first those to add, its four keys;  then the act's,
--       then the actor's
-- ARGV  1-3 the act's (see acts.lua)  4 the article as a member of rankings  5 seconds per vote
--       6-8 the other ranking arguments  9 groups an article may be in  10 how many of the names are to add
--       then the names, then the actor's
-- Answers  set <groups> (as they now are) | unknown | gone | no-group <names> | too-many
--          | overruled (what this undoes is not in force) | logged-out | forbidden
local answer = begin_act()
if answer then
  return answer
end
local member, vote_score, max_lift, good_votes, max_ranked, max_groups, add_count = unpack(ARGV, 4)
local FIRST_GROUP_KEY, FIRST_GROUP_NAME = 4, 11
local title, posted, votes, field, gone, revision = unpack(
  redis.call('HMGET', KEYS[1], 'title', 'time', 'votes', 'groups', 'gone', 'revision'))
if not title or not posted then
  return { 'unknown' }
elseif gone then
  return { 'gone' }
end
check_types(2, 2, 'set')
check_types(3, 3, 'stream')
check_groups(FIRST_GROUP_NAME, FIRST_GROUP_KEY)
check_log()
if not is_in_force() then
  return { 'overruled' }
end
local remaining, in_group, unknown = plan_groups(field, FIRST_GROUP_NAME, tonumber(add_count), 2)
local _, count_before = string.gsub(field or '', '%S+', '')
if #unknown > 0 then
  return { 'no-group', table.concat(unknown, ' ') }
end
-- An article that a program written after the book put into more groups may still lose some of them.
if #remaining > tonumber(max_groups) and #remaining > count_before then
  return { 'too-many' }
end

local time = finite(posted)
local place = find_place(member, time, finite(votes or 0), vote_score, max_lift, good_votes, max_ranked)
write_when_full(KEYS[1])
local added, removed = move_groups(FIRST_GROUP_NAME, FIRST_GROUP_KEY, in_group, place)
local groups = table.concat(remaining, ' ')
redis.call('HSET', KEYS[1], 'groups', groups)
if groups ~= group_names(field) then
  redis.call('HSET', KEYS[1], 'revision', next_revision(revision))
  record_change(KEYS[3], 't', member)
end
if added ~= '' or removed ~= '' then
  write_log_entry(added, removed)
end
return done({ 'set', groups })
