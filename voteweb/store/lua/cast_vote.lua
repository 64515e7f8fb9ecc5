-- Count one member's vote on an article, or take it back. The set of voters decides, so running it twice is harmless.
-- The article's votes rise or fall by this one vote. They are not counted anew from the voters, of whom some may be lost
-- (evicted, or expired by another clock); when all are lost, nobody can tell who may vote, so voting ends at once.
-- Only a vote that changes something counts against the rate limit.
-- keys: article:{article} voted:{article} score: good: user:{voter} sessions:{voter} programs:{voter} stats:{today}
--       open-votes:{voter_id} top: changes: limit:{limits}*
-- args: action article voter_id voter ban session digest program newcomer_seconds idle_seconds vote_score max_lift good_votes
--       voting_seconds rates*
-- helpers: articles: record_votes; common: check_type count_act exact finite is_name_of now; members: check_ban
--          check_voter hit_rate_limits note_session note_vote_of_ban; rankings: best_values day_of find_place
--          group_names put_best rank rank_good voting_end
-- action is "cast" or "take-back"; session to idle_seconds are those of check_voter(). A step of a ban, which check_ban()
-- checks instead, is in ban; else that is empty. With a rate limit, limits are the member's and, last, that of newcomers, and
-- rates those of hit_rate_limits(). For voting_seconds an article without an end of voting is open.
-- Answers  counted <votes> <when the voter's votes changed before, empty for never> <and now> | already <votes>
--          | absent <votes> (no vote to take back) | own <votes> | unknown | gone
--          | closed <unix time> | logged-out (the session has ended, or the voter is banned) | held
--          | rate-limited <number of the limit, from 1> <seconds to wait> <unix time from which it is accepted>
local refusal, is_new, noted_use, voted_before = check_voter(
  user_key, sessions_key, session, newcomer_seconds, digest, idle_seconds, programs_key, program)
local revoked_key
if ban ~= '' then
  refusal, revoked_key = check_ban(ban, user_key, 'article:' .. article, action == 'cast')
end
if refusal then
  return refusal
end
local title, poster, posted, groups, stored_votes, base, stored_end, gone = unpack(
  redis.call('HMGET', article_key, 'title', 'poster', 'time', 'groups', 'votes', 'base', 'closes', 'gone'))
if not title or not posted then
  return { 'unknown' }
elseif gone then
  return { 'gone' }
end
local time = assert(finite(posted), 'time is no number')
local closes = voting_end(stored_end, time, 'voting-seconds', voting_seconds)
if tonumber(now()) >= closes then
  return { 'closed', exact(closes) }
end
-- base: votes without a voter, such as imported ones; -1 if the poster is a voter whose own vote does not count.
base = assert(finite(base or 0), 'base is no number')
local has_voted, voters_expire = redis.call('SISMEMBER', voted_key, voter_id) == 1, redis.call('EXPIRETIME', voted_key)
local votes = tonumber(string.match(stored_votes or '', '^%-?%d+$')) or base + redis.call('SCARD', voted_key)
if voters_expire == -2 and votes ~= base then
  local ended = string.format('%d', math.floor(tonumber(now())))
  redis.call('HSET', article_key, 'closes', ended)
  return { 'closed', ended }
end
local count, is_own = string.format('%d', votes), is_name_of(poster, voter)
local casts = action == 'cast'
if casts and has_voted then
  return { 'already', count }
elseif not casts and not has_voted then
  return { 'absent', count }
elseif not casts and is_own then
  return { 'own', count }
end
-- Each key that is written must be of its type. Reading it tells so too, and takes less time than check_type().
redis.call('HLEN', stats_key)
redis.call('ZCARD', score_key)
check_type(changes_key, 'stream')
local member, day_key = 'article:' .. article, prefix .. 'top-day:' .. day_of(time)
local open_votes, good_value = redis.call('ZCARD', open_votes_key), redis.call('ZSCORE', good_key, member)
local top_values, day_values = best_values(top_key, member), best_values(day_key, member)
local group_rankings = {}
for i, name in ipairs(group_names(groups or '')) do
  local score_of_group, top_of_group = prefix .. 'score:' .. name, prefix .. 'top-group:' .. name
  redis.call('ZCARD', score_of_group)
  group_rankings[i] = { score_of_group, top_of_group, best_values(top_of_group, member) }
end
local limit_count = is_new and #limit_keys or math.max(0, #limit_keys - 1)
for i = limit_count + 1, #limit_keys do
  check_type(limit_keys[i], 'string')
end
refusal = limit_count > 0 and hit_rate_limits(limit_keys, rates, limit_count)
if refusal then
  return refusal
end

local ends = closes + VOTERS_GRACE_SECONDS
votes = votes + (casts and redis.call('SADD', voted_key, voter_id) or -redis.call('SREM', voted_key, voter_id))
if voters_expire ~= ends then
  redis.call('EXPIREAT', voted_key, string.format('%d', ends))
end
if not casts then
  redis.call('ZREM', open_votes_key, member)
elseif not is_own then
  redis.call('ZADD', open_votes_key, closes, member)
  redis.call('ZREMRANGEBYSCORE', open_votes_key, '-inf', now())
  if open_votes >= tonumber(MAX_OPEN_VOTES) then
    redis.call('ZREMRANGEBYRANK', open_votes_key, 0, -1 - MAX_OPEN_VOTES)
  end
end
-- The open votes expire after the last of them.
local expires = redis.call('EXPIRETIME', open_votes_key)
if expires < ends or (expires == ends and not casts) then
  local last_open = redis.call('ZREVRANGE', open_votes_key, 0, 0, 'WITHSCORES')[2]
  if last_open then
    redis.call('EXPIREAT', open_votes_key, string.format('%d', tonumber(last_open) + VOTERS_GRACE_SECONDS))
  end
end
-- Workers that remember the member's own votes ask for them again; the one that has voted knows what changed.
redis.call('HSET', user_key, 'voted', now())
count_act(stats_key, 'votes', casts and 1 or -1)
local place = find_place(member, time, votes, vote_score, max_lift, good_votes)
record_votes(changes_key, 'a', member, tonumber(count), votes)
count = string.format('%d', votes)
redis.call('HSET', article_key, 'votes', count)
rank(score_key, place.points, member)
if place.is_good or good_value then
  rank_good(good_key, place)
end
put_best(top_key, place, top_values)
put_best(day_key, place, day_values)
for _, group in ipairs(group_rankings) do
  rank(group[1], place.points, member)
  put_best(group[2], place, group[3])
end
note_session(sessions_key, digest, noted_use, idle_seconds)
if revoked_key then
  note_vote_of_ban(revoked_key, member, closes, casts)
end
return { 'counted', count, voted_before or '', now() }
