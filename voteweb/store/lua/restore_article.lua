-- Put a removed article back into every list, with its votes; one that waited for a moderator until then waits again.
-- KEYS  1 article:<id>  2-7 rankings of the site  8 posted:<poster>  9 gone:<poster>  10 link:<digest>
--       11 user:<poster>  12 groups:  13 answers:  14 held-articles:  15 changes:  then for each group of the article its four keys;
--       then those of who is told (see thread.lua), the act's, the actor's
-- ARGV  1-3 the act's (see acts.lua)  4 the article as a member of rankings  5 seconds per vote
--       6-8 the other ranking arguments  9 the day of KEYS[6]  10 whether the link has a domain (0 or 1)
--       11 seconds a link is remembered  12 the article's link as the caller knows it  13 its poster as the caller
--       knows it  14 the log id of the ban that removed it, or ""  then its groups' names, then who is told, then the
--       actor's
-- Answers  restored | already (it is listed or held, or not removed by that ban) | unknown | deleted
--          | again (groups, link, poster or day are others)
--          | overruled (what this undoes is not in force) | logged-out | forbidden
local answer = begin_act()
if answer then
  return answer
end
local told = take_told()
local member, vote_score, max_lift, good_votes, max_ranked, day, has_domain, link_seconds, known_link,
  known_poster, removed_by = unpack(ARGV, 4)
local FIRST_GROUP_KEY, FIRST_GROUP_NAME = 16, 15
local title, link, poster, posted, votes, field, gone, was_held = unpack(
  redis.call('HMGET', KEYS[1], 'title', 'link', 'poster', 'time', 'votes', 'groups', 'gone', 'was-held'))
if not title or not posted then
  return { 'unknown' }
elseif not gone or gone == 'held' or removed_by ~= '' and redis.call('HGET', KEYS[1], 'removed-by') ~= removed_by then
  return { 'already' }
elseif gone == 'deleted' then
  return { 'deleted' }
end
local time, count = assert(finite(posted), 'time is no number'), finite(votes or 0)
if group_names(field) ~= table.concat(ARGV, ' ', FIRST_GROUP_NAME) or (link or '') ~= known_link
  or (poster or '') ~= known_poster or day_of(time) ~= day then
  return { 'again' }
end
check_types(2, 10, 'zset')
check_types(11, 11, 'hash')
check_types(12, 12, 'set')
check_types(13, 14, 'zset')
check_types(15, 15, 'stream')
check_groups(FIRST_GROUP_NAME, FIRST_GROUP_KEY)
check_told(told)
check_log()
if not is_in_force() or removed_by ~= '' and not is_ban_in_state(KEYS[11], removed_by, 'restoring') then
  return { 'overruled' }
end

write_when_full(KEYS[1])
local place = find_place(member, time, count, vote_score, max_lift, good_votes, max_ranked)
if was_held then
  redis.call('HSET', KEYS[1], 'gone', 'held')
  rank(KEYS[14], time, member)
else
  enter_site(2, place, has_domain)
  if redis.call('HEXISTS', KEYS[11], 'id') == 1 then
    rank(KEYS[8], time, member)
  end
  redis.call('ZREM', KEYS[9], member)
  if known_link ~= '' and tonumber(now()) < time + tonumber(link_seconds) then
    remember_link(KEYS[10], time, tonumber(link_seconds), member)
  end
  redis.call('HSET', KEYS[1], 'groups', enter_existing_groups(KEYS[12], FIRST_GROUP_NAME, FIRST_GROUP_KEY, place))
  redis.call('HDEL', KEYS[1], 'gone')
  record_change(KEYS[15], 't', member)
end
settle_answer(KEYS[1], KEYS[13], member)
redis.call('HDEL', KEYS[1], 'reason', 'removed-by', 'answer', 'was-held')
tell(told, write_log_entry())
return done({ 'restored' })
