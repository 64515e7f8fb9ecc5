-- Write a comment on an article, or a reply to a comment, and tell those who want to know.
-- KEYS  1 article:<id>  2 thread:<id>  3 words:<id>  4 hidden:<id>  5 voted-comments:<id>-<block>  6 comments:
--       7 commented:<author>  8 once:<author's id>-<token>  9 user:<author>  10 seen:<author>
--       11, 12 limit:<kind>-<digest> of newcomers  13 stats:<day>  14 changes:
--       then for each member who may be told three: user:<name> inbox:<name> unread:<name>
-- ARGV  1 comment:<article's id>  2 the article's id  3 number of the comment that is answered, 0 for none  4 text
--       5 author's name  6 author's id  7 seconds for which an article is open for comments  8 seconds that the set of
--       voters outlives them  9 highest level of a comment  10 comments of a conversation  11 comments in the list of
--       the newest  12 seconds to remember the form  13 block of voters, 14 article's poster and 15 author of the answered
--       comment, all as the caller knows them  16 entries of an inbox  17 seconds for which it holds them
--       18 seconds for which a member is a newcomer  19-22 of both limits of newcomers, comments at once and seconds
--       per comment in the long run  23 seconds for which statistics are kept  then for each member who may be told
--       their reasons: those of "reply article mention" that may apply
-- Answers  written <comment> | written-before <comment> (this form was sent before), each as a member of rankings
--          | unknown | gone (the article) | closed <unix time> <reason> (by a moderator) | ended <unix time>
--          | parent-gone | too-deep | full | logged-out | held | rate-limited <1 or 2> <seconds> <unix time>
--          | again <block> <poster> <author of the answered comment> (these are others)
local stem, id, parent, text, author, author_id, commenting_seconds, grace, max_level, max_comments, newest, form_seconds,
  known_block, known_poster, known_answered, inbox_size, inbox_seconds, newcomer_seconds, newcomer_burst,
  newcomer_interval, newcomer_day_burst, newcomer_day_interval, statistics_seconds = unpack(ARGV)
local LIMIT_KEY, FIRST_MEMBER_KEY, LIMIT, FIRST_REASONS = 11, 15, 19, 24
local refusal = check_member(KEYS[9], author_id, 'member')
if refusal then
  return refusal
end
local before = redis.call('GET', KEYS[8])
if before then
  return { 'written-before', before }
end
local missing, _, posted = missing_comment(KEYS[1], KEYS[2], 0)
if missing then
  return missing
end
local over, closes = check_open(KEYS[2], posted, commenting_seconds)
if over then
  return over
end
parent = tonumber(parent)
local unanswerable, answered = check_answered(KEYS[2], parent, max_level)
if unanswerable then
  return unanswerable
end
local last, is_quiet = unpack(redis.call('HMGET', KEYS[2], 'last', 'quiet'))
local poster = redis.call('HGET', KEYS[1], 'poster')
local number = next_number(KEYS[2], last)
if number > tonumber(max_comments) then
  return { 'full' }
end
local block = math.floor(number / VOTER_BLOCK)
local answered_author = answered and answered.author or ''
if tonumber(known_block) ~= block or (poster or '') ~= known_poster or answered_author ~= known_answered then
  return { 'again', tostring(block), poster or '', answered_author }
end
check_types(3, 3, 'hash')
check_types(4, 4, 'string')
check_types(5, 5, 'set')
check_types(6, 7, 'list')
check_types(10, 10, 'hash')
check_types(LIMIT_KEY, LIMIT_KEY + 1, 'string')
check_types(13, 13, 'hash')
check_types(14, 14, 'stream')
check_members(FIRST_MEMBER_KEY)
local role, signed_up = unpack(redis.call('HMGET', KEYS[9], 'role', 'signed-up'))
refusal = is_newcomer(signed_up, role, newcomer_seconds) and hit_rate_limits(LIMIT_KEY, LIMIT, LIMIT_KEY + 1)
if refusal then
  return refusal
end

local comment, member = id .. '.' .. number, stem .. '.' .. number
redis.call('SET', KEYS[8], member, 'EX', form_seconds)
count_act(KEYS[13], 'comments', 1, statistics_seconds)
local is_first_of_block = is_first_of_voters(KEYS[2], number)
redis.call('HSET', KEYS[2], 'last', number, 'closes', string.format('%d', closes))
write_node(KEYS[2], number, { parent = parent, votes = 0, base = 0, time = now(), state = '-', author = author })
redis.call('HSET', KEYS[3], number, text)
-- A set without 0 has lost voters: only the first comment of a block makes it, so that nobody votes twice.
if is_first_of_block then
  redis.call('SADD', KEYS[5], 0)
  redis.call('EXPIREAT', KEYS[5], string.format('%d', closes + tonumber(grace)))
end
if redis.call('GETBIT', KEYS[4], number) == 0 then
  count_comments(KEYS[1], 1)
else
  set_hidden(KEYS[4], KEYS[1], number, false)
end
redis.call('LPUSH', KEYS[6], comment)
redis.call('LTRIM', KEYS[6], 0, newest - 1)
redis.call('LPUSH', KEYS[7], comment)
record_change(KEYS[14], 'c', comment)
-- The author's own comment is never new to them.
local visit = redis.call('HGET', KEYS[10], id)
local before_own, own = string.match(visit or '', '^(%d+ %d+ [%d.]+) ?([%d,]*)')
if before_own then
  redis.call('HSET', KEYS[10], id, before_own .. ' ' .. (own == '' and '' or own .. ',') .. number)
end
for i = FIRST_REASONS, #ARGV do
  local kind = notice_kind(ARGV[i], answered and has_state(answered, 'q'), is_quiet)
  local key = FIRST_MEMBER_KEY + 3 * (i - FIRST_REASONS)
  if kind then
    notify(KEYS[key], KEYS[key + 1], KEYS[key + 2], kind, comment, inbox_size, inbox_seconds)
  end
end
return { 'written', member }
