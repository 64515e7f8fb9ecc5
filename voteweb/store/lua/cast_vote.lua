-- Count one member's vote on an article, or take it back. The set of voters decides, so running it twice is harmless.
-- The article's votes rise or fall by this one vote. They are not counted anew from the voters, of whom some may be lost
-- (evicted, or expired by another clock); when all are lost, nobody can tell who may vote, so voting ends at once.
-- Only a vote that changes something counts against the rate limit.
-- KEYS  1 article:<id>  2 voted:<id>  3 score:  4 good:  5 user:<voter's name>  6 sessions:<voter's name>
--       7 stats:<today>  8 open-votes:<voter's id>  9 top:  10 top-day:<day>  then score:<g> and top-group:<g> for each
--       group of the article, then, with a rate limit, limit:<kind>-<digest>: the member's, then that of newcomers
-- ARGV  1 "cast" or "take-back"  2 the article as a member of rankings  3 voter's id  4 voter's name
--       5 voter's session id  6 seconds per vote  7-9 the other ranking arguments  10 voting seconds of an article
--       without an end of voting  11 seconds that the set of voters outlives voting  12 the article's groups as the
--       caller knows them  13 the day of KEYS[10]  14 seconds for which a member is a newcomer  15 digest of the session
--       that votes, empty for none  16 seconds until a session that is not used ends  17 seconds until any session ends
--       18 seconds in which its use is not noted again  19 how many open votes of a member are kept
--       20 seconds for which statistics are kept
--       then, with a rate limit, for each of the two: acts at once, and seconds per act in the long run
-- Answers  counted <votes> <when the voter's votes changed before, empty for never> <and now> | already <votes>
--          | absent <votes> (no vote to take back) | own <votes> | unknown | gone
--          | closed <unix time> | logged-out (the session has ended, or the voter is banned) | held
--          | again <groups> <day> (the article has these groups and is of this day: name their rankings and try again)
--          | rate-limited <number of the limit, from 1> <seconds to wait> <unix time from which it is accepted>
local action, member, voter_id, voter_name, session_id, vote_score, max_lift, good_votes, max_ranked, voting_seconds,
  grace, known_groups, day, newcomer_seconds, digest, idle, longest, pause, max_open_votes,
  statistics_seconds = unpack(ARGV)
local FIRST_GROUP_KEY, FIRST_LIMIT = 11, 21
local limit_count = (#ARGV - FIRST_LIMIT + 1) / 2
local refusal, is_new, noted_use = check_voter(5, session_id, newcomer_seconds, digest, idle, longest, pause)
if refusal then
  return refusal
end
local title, poster, posted, groups, stored_votes, base, stored_end, gone = unpack(
  redis.call('HMGET', KEYS[1], 'title', 'poster', 'time', 'groups', 'votes', 'base', 'closes', 'gone'))
if not title or not posted then
  return { 'unknown' }
elseif gone then
  return { 'gone' }
end
local time = assert(finite(posted), 'time is no number')
if (groups or '') ~= known_groups or day_of(time) ~= day then
  return { 'again', groups or '', day_of(time) }
end
local closes, last_ranking = voting_end(stored_end, time, 'voting-seconds', voting_seconds), #KEYS - limit_count
if tonumber(now()) >= closes then
  return { 'closed', exact(closes) }
end
-- base: votes without a voter, such as imported ones; -1 if the poster is a voter whose own vote does not count.
base = assert(finite(base or 0), 'base is no number')
local has_voted, voters_expire = redis.call('SISMEMBER', KEYS[2], voter_id) == 1, redis.call('EXPIRETIME', KEYS[2])
local votes = tonumber(string.match(stored_votes or '', '^%-?%d+$')) or base + redis.call('SCARD', KEYS[2])
if voters_expire == -2 and votes ~= base then
  local ended = string.format('%d', math.floor(tonumber(now())))
  redis.call('HSET', KEYS[1], 'closes', ended)
  return { 'closed', ended }
end
local count, is_own = string.format('%d', votes), is_name_of(poster, voter_name)
local casts = action == 'cast'
if casts and has_voted then
  return { 'already', count }
elseif not casts and not has_voted then
  return { 'absent', count }
elseif not casts and is_own then
  return { 'own', count }
end
-- Each key that is written must be of its type. Reading it tells so too, and takes less time than check_types().
redis.call('HLEN', KEYS[7])
redis.call('ZCARD', KEYS[3])
local open_votes, good_value = redis.call('ZCARD', KEYS[8]), redis.call('ZSCORE', KEYS[4], member)
local voted_before = redis.call('HGET', KEYS[5], 'voted') or ''
local values = { [9] = best_values(KEYS[9], member), [10] = best_values(KEYS[10], member) }
for i = FIRST_GROUP_KEY, last_ranking, 2 do
  redis.call('ZCARD', KEYS[i])
  values[i + 1] = best_values(KEYS[i + 1], member)
end
local last_limit = is_new and #KEYS or last_ranking + 1
check_types(last_limit + 1, #KEYS, 'string')
refusal = limit_count > 0 and hit_rate_limits(last_ranking + 1, FIRST_LIMIT, last_limit)
if refusal then
  return refusal
end

local ends = closes + tonumber(grace)
votes = votes + (casts and redis.call('SADD', KEYS[2], voter_id) or -redis.call('SREM', KEYS[2], voter_id))
if voters_expire ~= ends then
  redis.call('EXPIREAT', KEYS[2], string.format('%d', ends))
end
if not casts then
  redis.call('ZREM', KEYS[8], member)
elseif not is_own then
  redis.call('ZADD', KEYS[8], closes, member)
  redis.call('ZREMRANGEBYSCORE', KEYS[8], '-inf', now())
  if open_votes >= tonumber(max_open_votes) then
    redis.call('ZREMRANGEBYRANK', KEYS[8], 0, -1 - max_open_votes)
  end
end
-- The open votes expire after the last of them.
local expires = redis.call('EXPIRETIME', KEYS[8])
if expires < ends or (expires == ends and not casts) then
  local last_open = redis.call('ZREVRANGE', KEYS[8], 0, 0, 'WITHSCORES')[2]
  if last_open then
    redis.call('EXPIREAT', KEYS[8], string.format('%d', tonumber(last_open) + tonumber(grace)))
  end
end
-- Workers that remember the member's own votes ask for them again; the one that has voted knows what changed.
redis.call('HSET', KEYS[5], 'voted', now())
count_act(KEYS[7], 'votes', casts and 1 or -1, statistics_seconds)
local place = find_place(member, time, votes, vote_score, max_lift, good_votes, max_ranked)
count = string.format('%d', votes)
redis.call('HSET', KEYS[1], 'votes', count)
rank(KEYS[3], place.points, member)
if place.is_good or good_value then
  rank_good(KEYS[4], place)
end
put_best(KEYS[9], place, values[9])
put_best(KEYS[10], place, values[10])
for i = FIRST_GROUP_KEY, last_ranking, 2 do
  rank(KEYS[i], place.points, member)
  put_best(KEYS[i + 1], place, values[i + 1])
end
note_session(6, digest, noted_use, idle, longest)
return { 'counted', count, voted_before, now() }
