-- Store another text for a comment of a conversation, unless it has changed since the caller read it. A deleted one has
-- no words.
-- KEYS  1 thread:<id>  2 words:<id>  3 changes:
-- ARGV  1 the comment's number  2 its text in the conversation then  3 its new text there
--       4 the article's id
-- Answers  repaired | unchanged | again (it has another text now)
local number, before, after, article_id = unpack(ARGV)
local stored = redis.call('HGET', KEYS[1], number)
check_types(2, 2, 'hash')
check_types(3, 3, 'stream')
if stored ~= before and stored ~= after then
  return { 'again' }
end
local is_changed = stored ~= after
if is_changed then
  redis.call('HSET', KEYS[1], number, after)
end
if has_state(read_node(KEYS[1], number), 'd') and redis.call('HDEL', KEYS[2], number) == 1 then
  is_changed = true
end
if is_changed then
  next_thread_revision(KEYS[1])
  record_change(KEYS[3], 't', article_id)
end
return { is_changed and 'repaired' or 'unchanged' }
