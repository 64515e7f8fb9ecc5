-- Write a comment on an article, or a reply to a comment, and tell those who want to know.
-- keys: article:{article} thread:{article} words:{article} hidden:{article} voted-comments:{article}-{known_block} comments:
--       commented:{author} once:{author_id}-{token} user:{author} seen:{author} stats:{today} changes:
--       programs:{author} limit:{limits}*
-- args: article parent text state author author_id program body commenting_seconds known_block known_poster
--       known_answered newcomer_seconds reasons rates*
-- helpers: common: check_type count_act now; members: check_member check_program hit_rate_limits is_newcomer sent
--          sent_before; thread: answers check_answered check_open has_state missing_comment next_number notice_kind notify
--          store_comment; visits: format_visit read_visit
-- parent is the number of the comment that is answered, 0 for none. What is known is so to the caller: the block of voters, the
-- poster of the article and the author of the answered comment. newcomer_seconds are those for which a member is a newcomer;
-- limits are those of newcomers, which do not count a reply to somebody who answers the author, and rates those of
-- hit_rate_limits(). reasons is a JSON array with an entry for each member who may be told: the keys user:<name> inbox:<name>
-- unread:<name>, and those of "reply article mention" that may apply.
-- Answers  written <comment> | written-before <comment> (this form was sent before), each as a member of rankings
--          | unknown | gone (the article) | closed <unix time> <reason> (by a moderator) | ended <unix time>
--          | comment-unknown (the one to be answered) | parent-gone | too-deep | full | logged-out | held
--          | rate-limited <1 or 2> <seconds> <unix time> | other-body (another was sent with this token) | programs-off
--          | no-right <right> (the program may not comment)
--          | again <block> <poster> <author of the answered comment> (these are others)
local refusal = check_member(user_key, author_id, 'member') or check_program(user_key, programs_key, program, 'post')
if refusal then
  return refusal
end
local before = sent_before(once_key, 'written-before', body)
if before then
  return before
end
local missing, _, posted = missing_comment(article_key, thread_key, 0)
if missing then
  return missing
end
local over, closes = check_open(thread_key, posted, commenting_seconds)
if over then
  return over
end
parent = tonumber(parent)
local unanswerable, answered = check_answered(thread_key, parent)
if unanswerable then
  return unanswerable
end
local last, is_quiet = unpack(redis.call('HMGET', thread_key, 'last', 'quiet'))
local poster = redis.call('HGET', article_key, 'poster')
local number = next_number(thread_key, last)
if number > tonumber(MAX_COMMENTS) then
  return { 'full' }
end
local block = math.floor(number / VOTER_BLOCK)
local answered_author = answered and answered.author or ''
if tonumber(known_block) ~= block or (poster or '') ~= known_poster or answered_author ~= known_answered then
  return { 'again', tostring(block), poster or '', answered_author }
end
check_keys()
local told = cjson.decode(reasons)
for _, member in ipairs(told) do
  check_type(member[1], 'hash')
  check_type(member[2], 'list')
  check_type(member[3], 'list')
end
local role, signed_up = unpack(redis.call('HMGET', user_key, 'role', 'signed-up'))
refusal = is_newcomer(signed_up, role, newcomer_seconds) and not answers(thread_key, answered, author, poster)
  and hit_rate_limits(limit_keys, rates, #limit_keys)
if refusal then
  return refusal
end

local comment = article .. '.' .. number
local member = 'comment:' .. comment
sent(once_key, member, body)
count_act(stats_key, 'comments', 1)
local node = { parent = parent, votes = 0, base = 0, time = now(), state = state, author = author }
store_comment(number, node, text, closes, true)
redis.call('LPUSH', comments_key, comment)
redis.call('LTRIM', comments_key, 0, NEWEST_COMMENTS - 1)
redis.call('LPUSH', commented_key, comment)
-- The author's own comment is never new to them.
local visit = redis.call('HGET', seen_key, article)
local visited, unread, shown = read_visit((visit or '') .. ' ' .. number, number)
if visited then
  redis.call('HSET', seen_key, article, format_visit(number, visited, unread, shown))
end
for _, to in ipairs(told) do
  local kind = notice_kind(to[4], answered and has_state(answered, 'q'), is_quiet)
  if kind then
    notify(to[1], to[2], to[3], kind, comment)
  end
end
return { 'written', member }
