-- Publish an article that waited for a moderator: its publish time is now, and voting on it begins.
-- KEYS  1 article:<id>  2 voted:<id>  3-8 rankings of the site  9 posted:<poster>  10 gone:<poster>
--       11 link:<digest>  12 user:<poster>  13 held-articles:  14 groups:  15 changes:  then for each group of the article
--       its four keys;  then those of who is told (see thread.lua), the act's, the actor's
-- ARGV  1-3 the act's (see acts.lua)  4 the article as a member of rankings  5 own vote (0 or 1)
--       6 seconds per vote  7-9 the other ranking arguments  10 the day of KEYS[7]  11 whether the link has a domain
--       (0 or 1)  12 voting seconds  13 seconds that the set of voters outlives them  14 seconds a link is remembered
--       15 the article's link as the caller knows it  16 its poster as the caller knows it  17 the revision that the
--       form shows, or empty for any  then its groups' names, then who is told, then the actor's
-- Answers  released | already (it does not wait) | unknown | stale (its poster has changed it since) | again <unix time> (groups, link, poster or day are others)
--          | logged-out | forbidden
local answer = begin_act()
if answer then
  return answer
end
local told = take_told()
local member, own_vote, vote_score, max_lift, good_votes, max_ranked, day, has_domain, voting_seconds, grace,
  link_seconds, known_link, known_poster, known_revision = unpack(ARGV, 4)
local FIRST_GROUP_KEY, FIRST_GROUP_NAME = 16, 18
local title, link, poster, field, gone, revision = unpack(
  redis.call('HMGET', KEYS[1], 'title', 'link', 'poster', 'groups', 'gone', 'revision'))
if not title then
  return { 'unknown' }
elseif gone ~= 'held' then
  return { 'already' }
elseif known_revision ~= '' and known_revision ~= (revision or '0') then
  return { 'stale' }
end
check_types(2, 2, 'set')
check_types(3, 11, 'zset')
check_types(12, 12, 'hash')
check_types(13, 13, 'zset')
check_types(14, 14, 'set')
check_types(15, 15, 'stream')
check_groups(FIRST_GROUP_NAME, FIRST_GROUP_KEY)
check_told(told)
check_log()
local posted = first_free_time(KEYS[3], now())
local time = finite(posted)
if group_names(field) ~= table.concat(ARGV, ' ', FIRST_GROUP_NAME) or (link or '') ~= known_link
  or (poster or '') ~= known_poster or day_of(time) ~= day then
  return { 'again', posted }
end

write_when_full(KEYS[1])
local poster_id, votes = redis.call('HGET', KEYS[12], 'id'), tonumber(own_vote)
local base, closes = votes - (poster_id and 1 or 0), voting_end(nil, time, voting_seconds)
redis.call('HSET', KEYS[1], 'time', posted, 'votes', string.format('%d', votes), 'base', string.format('%d', base),
  'closes', string.format('%d', closes), 'released', '1')
redis.call('HDEL', KEYS[1], 'gone')
redis.call('DEL', KEYS[2])
if poster_id then
  redis.call('SADD', KEYS[2], poster_id)
  redis.call('EXPIREAT', KEYS[2], string.format('%d', closes + tonumber(grace)))
  rank(KEYS[9], time, member)
end
redis.call('ZREM', KEYS[10], member)
redis.call('ZREM', KEYS[13], member)
local place = find_place(member, time, votes, vote_score, max_lift, good_votes, max_ranked)
enter_site(3, place, has_domain)
if known_link ~= '' then
  remember_link(KEYS[11], time, tonumber(link_seconds), member)
end
redis.call('HSET', KEYS[1], 'groups', enter_existing_groups(KEYS[14], FIRST_GROUP_NAME, FIRST_GROUP_KEY, place))
record_change(KEYS[15], 'a', member)
tell(told, write_log_entry())
return done({ 'released' })
