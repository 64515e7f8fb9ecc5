-- Count one member's vote for a comment, or take it back. The set of voters decides, so running it twice is harmless.
-- The comment's votes rise or fall by this one vote; they are not counted anew from the voters. A set without 0 has lost
-- voters (evicted, or expired by another clock), so that nobody can tell who may vote: voting is closed.
-- Only a vote that changes something counts against the rate limit.
-- keys: article:{article} thread:{article} voted-comments:{article}-{block} user:{voter} sessions:{voter} programs:{voter}
--       changes: limit:{limits}*
-- args: action number voter_id voter ban session digest program newcomer_seconds idle_seconds commenting_seconds rates*
-- helpers: articles: record_votes; common: check_type is_name_of now; members: check_ban check_voter hit_rate_limits
--          note_session note_vote_of_ban; thread: VOTER_FACTOR check_open missing_comment write_node
-- action is "cast" or "take-back"; session to idle_seconds are those of check_voter(). A step of a ban, which check_ban()
-- checks instead, is in ban; else that is empty. With a rate limit, limits are the member's and, last, that of newcomers, and
-- rates those of hit_rate_limits(). For commenting_seconds an article is open for comments.
-- Answers  counted <votes> | already <votes> | absent <votes> (no vote to take back) | own <votes> | unknown | gone (the
--          article) | comment-unknown | comment-gone | closed <unix time> <reason> (by a moderator) | ended <unix time>
--          | lost <unix time> (voters were lost) | logged-out (the session has ended, or the voter is banned) | held
--          | rate-limited <number of the limit, from 1> <seconds to wait> <unix time from which it is accepted>
local refusal, is_new, noted_use = check_voter(
  user_key, sessions_key, session, newcomer_seconds, digest, idle_seconds, programs_key, program)
local member, revoked_key
if ban ~= '' then
  member = 'comment:' .. string.match(article_key, '%d+$') .. '.' .. number
  refusal, revoked_key = check_ban(ban, user_key, member, action == 'cast')
end
if refusal then
  return refusal
end
local missing, node, posted = missing_comment(article_key, thread_key, tonumber(number))
if missing then
  return missing
end
local over, closes = check_open(thread_key, posted, commenting_seconds)
if over then
  return over
end
local vote = string.format('%.0f', number * VOTER_FACTOR + voter_id)
local has_voters, has_voted = unpack(redis.call('SMISMEMBER', voted_comments_key, 0, vote))
if has_voters == 0 then
  return { 'lost', now() }
end
local count = string.format('%d', node.votes)
if node.author ~= '' and is_name_of(node.author, voter) then
  return { 'own', count }
elseif (has_voted == 1) == (action == 'cast') then
  return { has_voted == 1 and 'already' or 'absent', count }
end
-- All keys that are written have been read, so that they are of their types; but these, the limit unless it counts.
check_type(changes_key, 'stream')
local limit_count = is_new and #limit_keys or math.max(0, #limit_keys - 1)
for i = limit_count + 1, #limit_keys do
  check_type(limit_keys[i], 'string')
end
refusal = limit_count > 0 and hit_rate_limits(limit_keys, rates, limit_count)
if refusal then
  return refusal
end

redis.call(action == 'cast' and 'SADD' or 'SREM', voted_comments_key, vote)
local ends = closes + VOTERS_GRACE_SECONDS
if redis.call('EXPIRETIME', voted_comments_key) ~= ends then
  redis.call('EXPIREAT', voted_comments_key, string.format('%d', ends))
end
node.votes = node.votes + (action == 'cast' and 1 or -1)
write_node(thread_key, number, node)
record_votes(changes_key, 'c', string.match(article_key, '%d+$') .. '.' .. number, tonumber(count), node.votes)
note_session(sessions_key, digest, noted_use, idle_seconds)
if revoked_key then
  note_vote_of_ban(revoked_key, member, closes, action == 'cast')
end
return { 'counted', string.format('%d', node.votes) }
