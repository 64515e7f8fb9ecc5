-- Import one comment from elsewhere, unless the same row was imported before. Nobody is told, and the votes have no voters.
-- KEYS  1 article:<id>  2 thread:<id>  3 words:<id>  4 hidden:<id>  5 voted-comments:<id>-<block>  6 commented:<poster>
--       7 imported:<bucket>  8 imported:<bucket> of the row with its number  9 imported:<bucket> of the row that it
--       answers with its number, or any  10 user:<poster>  11 changes:
-- ARGV  1 the comment as lists name it  2 its number  3 number of the comment that it answers, 0 for none  4 text
--       5 poster's name  6 unix time  7 votes  8 seconds for which an article is open for comments  9 seconds that the set
--       of voters outlives them  10 highest level of a comment  11 comments of a conversation  12 the row's fingerprint in
--       its bucket  13 that of the row with its number  14 that of the row that it answers with its number
--       15 what replaces the name of a poster who has left
-- Answers  imported | known | unknown | gone (the article) | parent-gone | too-deep | full
--          | again (another number is the next one, or that of the row that it answers)
local comment, number, parent, text, poster, time, votes, commenting_seconds, grace, max_level, max_comments, row,
  numbered_row, answered_row, replacement = unpack(ARGV)
if redis.call('SISMEMBER', KEYS[7], row) == 1 then
  return { 'known' }
end
local missing, _, posted = missing_comment(KEYS[1], KEYS[2], 0)
if missing then
  return missing
end
local last, ends = unpack(redis.call('HMGET', KEYS[2], 'last', 'closes'))
number, parent = tonumber(number), tonumber(parent)
if number ~= next_number(KEYS[2], last) or parent > 0 and redis.call('SISMEMBER', KEYS[9], answered_row) == 0 then
  return { 'again' }
elseif number > tonumber(max_comments) then
  return { 'full' }
end
local unanswerable = check_answered(KEYS[2], parent, max_level)
if unanswerable then
  return unanswerable
end
check_types(3, 3, 'hash')
check_types(4, 4, 'string')
check_types(5, 5, 'set')
check_types(6, 6, 'list')
check_types(8, 9, 'set')
check_types(10, 10, 'hash')
check_types(11, 11, 'stream')
votes = assert(finite(votes), 'votes is no number')
local closes = conversation_end(ends, posted, commenting_seconds)
-- The deletion of an account has gone through its comments once: none may come under the name after that.
local has_left = redis.call('HEXISTS', KEYS[10], 'left') == 1

collect_in_small_steps()
redis.call('HSET', KEYS[2], 'last', number, 'closes', string.format('%d', closes))
write_node(KEYS[2], number, { parent = parent, votes = votes, base = votes, state = '-',
  time = string.format('%.6f', math.max(finite(time), finite(posted))), author = has_left and replacement or poster })
redis.call('HSET', KEYS[3], number, text)
if tonumber(now()) < closes and is_first_of_voters(KEYS[2], number) then
  redis.call('SADD', KEYS[5], 0)
  redis.call('EXPIREAT', KEYS[5], string.format('%d', closes + tonumber(grace)))
end
if redis.call('GETBIT', KEYS[4], number) == 0 then
  count_comments(KEYS[1], 1)
else
  set_hidden(KEYS[4], KEYS[1], number, false)
end
if not has_left then
  redis.call('LPUSH', KEYS[6], comment)
end
redis.call('SADD', KEYS[7], row)
redis.call('SADD', KEYS[8], numbered_row)
record_change(KEYS[11], 'c', comment)
return { 'imported' }
