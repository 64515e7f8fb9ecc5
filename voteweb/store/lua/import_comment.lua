-- Import one comment from elsewhere, unless the same row was imported before. Nobody is told, and the votes have no voters.
-- keys: article:{article} thread:{article} words:{article} hidden:{article} voted-comments:{article}-{block}
--       commented:{poster} imported:{bucket} numbered=imported:{numbered_bucket} answered=imported:{answered_bucket}
--       user:{poster} changes:
-- args: article number parent text state poster time votes commenting_seconds row numbered_row answered_row
-- helpers: common: collect_in_small_steps finite now; thread: check_answered conversation_end missing_comment
--          next_number store_comment
-- parent is the number of the comment that it answers, 0 for none. The rows are fingerprints in their buckets: of the row, of
-- the row with its number, and of the row that it answers with its number.
-- Answers  imported | known | unknown | gone (the article) | parent-gone | too-deep | full
--          | again (another number is the next one, or that of the row that it answers)
if redis.call('SISMEMBER', imported_key, row) == 1 then
  return { 'known' }
end
local missing, _, posted = missing_comment(article_key, thread_key, 0)
if missing then
  return missing
end
local last, ends = unpack(redis.call('HMGET', thread_key, 'last', 'closes'))
number, parent = tonumber(number), tonumber(parent)
if number ~= next_number(thread_key, last) or parent > 0 and redis.call('SISMEMBER', answered_key, answered_row) == 0 then
  return { 'again' }
elseif number > tonumber(MAX_COMMENTS) then
  return { 'full' }
end
local unanswerable = check_answered(thread_key, parent)
if unanswerable then
  return unanswerable
end
check_keys()
votes = assert(finite(votes), 'votes is no number')
local closes = conversation_end(ends, posted, commenting_seconds)
-- The deletion of an account has gone through its comments once: none may come under the name after that.
local has_left = redis.call('HEXISTS', user_key, 'left') == 1

collect_in_small_steps()
local node = { parent = parent, votes = votes, base = votes, state = state,
  time = string.format('%.6f', math.max(finite(time), finite(posted))), author = has_left and DELETED_MEMBER or poster }
store_comment(number, node, text, closes, tonumber(now()) < closes)
if not has_left then
  redis.call('LPUSH', commented_key, article .. '.' .. number)
end
redis.call('SADD', imported_key, row)
redis.call('SADD', numbered_key, numbered_row)
return { 'imported' }
