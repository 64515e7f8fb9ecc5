-- Count one member's vote on an article, or take it back. The set of voters decides, so running it twice is harmless.
-- Only a vote that changes something counts against the rate limit.
-- KEYS  1 article:<id>  2 voted:<id>  3 score:  4 good:  5 user:<voter's name>  then score:<g> for each group of the
--       article, then, with a rate limit, limit:<kind>-<digest>
-- ARGV  1 "cast" or "take-back"  2 the article as a member of rankings  3 voter's id  4 voter's name
--       5 voter's session id  6 seconds per vote  7 votes of a good article  8 voting seconds
--       9 seconds that the set of voters outlives them  10 the article's groups as the caller knows them
--       then, with a rate limit: 11 acts at once  12 seconds per act in the long run
-- Answers  counted <votes> | already <votes> | absent <votes> (no vote to take back) | own <votes> | unknown | gone
--          | closed <unix time> | logged-out (the session has ended, or the voter is banned)
--          | again <groups> (the article has these groups: name their rankings and try again)
--          | rate-limited 1 <seconds to wait> <unix time from which it is accepted>
local action, member, voter_id, voter_name, session_id, vote_score, good_votes, voting_seconds, grace, known_groups =
  unpack(ARGV)
local has_limit = ARGV[11] ~= nil
local session, banned, left = unpack(redis.call('HMGET', KEYS[5], 'session', 'banned', 'left'))
if session ~= session_id or (banned or '0') ~= '0' or left then
  return { 'logged-out' }
end
local title, poster, posted, groups, base, gone = unpack(
  redis.call('HMGET', KEYS[1], 'title', 'poster', 'time', 'groups', 'base', 'gone'))
if not title or not posted then
  return { 'unknown' }
elseif gone then
  return { 'gone' }
end
if (groups or '') ~= known_groups then
  return { 'again', groups or '' }
end
-- HMGET has checked the types of KEYS[1] and KEYS[5].
local last_ranking = has_limit and #KEYS - 1 or #KEYS
check_types(2, 2, 'set')
check_types(3, 4, 'zset')
check_types(6, last_ranking, 'zset')
check_types(last_ranking + 1, #KEYS, 'string')
local time = tonumber(posted)
local closes = time + tonumber(voting_seconds)
if tonumber(now()) >= closes then
  return { 'closed', exact(closes) }
end
-- base: votes without a voter, such as imported ones; -1 if the poster is a voter whose own vote does not count.
base = tonumber(base or 0)
local count = string.format('%d', base + redis.call('SCARD', KEYS[2]))
local has_voted = redis.call('SISMEMBER', KEYS[2], voter_id) == 1
if action == 'cast' and has_voted then
  return { 'already', count }
end
if action == 'take-back' then
  if not has_voted then
    return { 'absent', count }
  elseif string.lower(poster or '') == string.lower(voter_name) then
    return { 'own', count }
  end
end
local refusal = has_limit and hit_rate_limits(#KEYS, 11)
if refusal then
  return refusal
end

if action == 'cast' then
  redis.call('SADD', KEYS[2], voter_id)
else
  redis.call('SREM', KEYS[2], voter_id)
end
redis.call('EXPIREAT', KEYS[2], string.format('%d', math.ceil(closes + tonumber(grace))))
local votes = base + redis.call('SCARD', KEYS[2])
local points = score(time, votes, tonumber(vote_score))
redis.call('HSET', KEYS[1], 'votes', string.format('%d', votes))
rank(KEYS[3], points, member)
rank_good(KEYS[4], votes, tonumber(good_votes), time, member)
for i = 6, last_ranking do
  rank(KEYS[i], points, member)
end
return { 'counted', string.format('%d', votes) }
