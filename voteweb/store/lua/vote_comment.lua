-- Count one member's vote for a comment, or take it back. The set of voters decides, so running it twice is harmless.
-- The comment's votes rise or fall by this one vote; they are not counted anew from the voters. A set without 0 has lost
-- voters (evicted, or expired by another clock), so that nobody can tell who may vote: voting is closed.
-- Only a vote that changes something counts against the rate limit.
-- KEYS  1 article:<id>  2 thread:<id>  3 voted-comments:<id>-<block>  4 user:<voter's name>  5 sessions:<voter's name>
--       then, with a rate limit, limit:<kind>-<digest>: the member's, then that of newcomers
-- ARGV  1 "cast" or "take-back"  2 the comment's number  3 voter's id  4 voter's name  5 voter's session id
--       6 seconds for which an article is open for comments  7 seconds that the set of voters outlives them
--       8 seconds for which a member is a newcomer  9 digest of the session that votes, empty for none
--       10 seconds until a session that is not used ends  11 seconds until any session ends
--       12 seconds in which its use is not noted again
--       then, with a rate limit, for each of the two: acts at once, and seconds per act in the long run
-- Answers  counted <votes> | already <votes> | absent <votes> (no vote to take back) | own <votes> | unknown | gone (the
--          article) | comment-unknown | comment-gone | closed <unix time> <reason> (by a moderator) | ended <unix time>
--          | lost <unix time> (voters were lost) | logged-out (the session has ended, or the voter is banned) | held
--          | rate-limited <number of the limit, from 1> <seconds to wait> <unix time from which it is accepted>
local action, number, voter_id, voter_name, session_id, commenting_seconds, grace, newcomer_seconds, digest, idle, longest,
  pause = unpack(ARGV)
local FIRST_LIMIT_KEY, FIRST_LIMIT = 6, 13
local refusal, is_new, noted_use = check_voter(4, session_id, newcomer_seconds, digest, idle, longest, pause)
if refusal then
  return refusal
end
local missing, node, posted = missing_comment(KEYS[1], KEYS[2], tonumber(number))
if missing then
  return missing
end
local over, closes = check_open(KEYS[2], posted, commenting_seconds)
if over then
  return over
end
local vote = string.format('%.0f', number * VOTER_FACTOR + voter_id)
local has_voters, has_voted = unpack(redis.call('SMISMEMBER', KEYS[3], 0, vote))
if has_voters == 0 then
  return { 'lost', now() }
end
local count = string.format('%d', node.votes)
if is_author(node, voter_name) then
  return { 'own', count }
elseif (has_voted == 1) == (action == 'cast') then
  return { has_voted == 1 and 'already' or 'absent', count }
end
local last_limit = is_new and #KEYS or FIRST_LIMIT_KEY
check_types(last_limit + 1, #KEYS, 'string')
refusal = #KEYS >= FIRST_LIMIT_KEY and hit_rate_limits(FIRST_LIMIT_KEY, FIRST_LIMIT, last_limit)
if refusal then
  return refusal
end

redis.call(action == 'cast' and 'SADD' or 'SREM', KEYS[3], vote)
local ends = closes + tonumber(grace)
if redis.call('EXPIRETIME', KEYS[3]) ~= ends then
  redis.call('EXPIREAT', KEYS[3], string.format('%d', ends))
end
node.votes = node.votes + (action == 'cast' and 1 or -1)
write_node(KEYS[2], number, node)
note_session(5, digest, noted_use, idle, longest)
return { 'counted', string.format('%d', node.votes) }
