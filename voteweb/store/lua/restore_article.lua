-- Put a removed article back into every list, with its votes.
-- KEYS  1 article:<id>  2 time:  3 score:  4 good:  5 posted:<poster>  6 gone:<poster>  7 link:<digest>
--       8 user:<poster>  then for each group of the article three: group:<g> time:<g> score:<g>;  then those of
--       who is told (see thread.lua), the act's, the actor's
-- ARGV  1-3 the act's (see common.lua)  4 the article as a member of rankings  5 seconds per vote
--       6 votes of a good article  7 seconds a link is remembered  8 the article's link as the caller knows it
--       9 its poster as the caller knows it
--       10 the log id of the ban that removed it, or ""  then its groups' names, then who is told, then the
--       actor's
-- Answers  restored | already (it is listed, or not removed by that ban) | unknown | deleted | again (groups, link or poster are others)
--          | overruled (what this undoes is not in force) | logged-out | forbidden
local refusal = check_actor()
local before = answer_before()
if before or refusal then
  return before or refusal
end
local told = take_told()
local member, vote_score, good_votes, link_seconds, known_link, known_poster, removed_by = unpack(ARGV, 4)
local FIRST_GROUP_KEY, FIRST_GROUP_NAME = 9, 11
local title, link, poster, posted, votes, field, gone = unpack(
  redis.call('HMGET', KEYS[1], 'title', 'link', 'poster', 'time', 'votes', 'groups', 'gone'))
if not title or not posted then
  return { 'unknown' }
elseif not gone or removed_by ~= '' and redis.call('HGET', KEYS[1], 'removed-by') ~= removed_by then
  return { 'already' }
elseif gone == 'deleted' then
  return { 'deleted' }
elseif group_names(field) ~= table.concat(ARGV, ' ', FIRST_GROUP_NAME) or (link or '') ~= known_link
  or (poster or '') ~= known_poster then
  return { 'again' }
end
check_types(2, 7, 'zset')
check_types(8, 8, 'hash')
check_groups(FIRST_GROUP_NAME, FIRST_GROUP_KEY)
check_told(told)
check_log()
if not is_in_force() or removed_by ~= '' and not is_ban_in_state(KEYS[8], removed_by, 'restoring') then
  return { 'overruled' }
end

write_when_full(KEYS[1])
local time, count = finite(posted), finite(votes or 0)
local points = score(time, count, tonumber(vote_score))
rank(KEYS[2], time, member)
rank(KEYS[3], points, member)
rank_good(KEYS[4], count, tonumber(good_votes), time, member)
if redis.call('HEXISTS', KEYS[8], 'id') == 1 then
  rank(KEYS[5], time, member)
end
redis.call('ZREM', KEYS[6], member)
if known_link ~= '' and tonumber(now()) < time + tonumber(link_seconds) then
  remember_link(KEYS[7], time, tonumber(link_seconds), member)
end
for i = FIRST_GROUP_NAME, #ARGV do
  enter_group(FIRST_GROUP_KEY + 3 * (i - FIRST_GROUP_NAME), time, points, member)
end
redis.call('HDEL', KEYS[1], 'gone', 'reason', 'removed-by')
tell(told, write_log_entry())
return done({ 'restored' })
