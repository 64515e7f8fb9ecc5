-- Delete a comment for good, with its words, its author's name and its open reports; its place stays, for its replies.
-- KEYS  1 article:<id>  2 thread:<id>  3 words:<id>  4 hidden:<id>  5 commented:<author>  6 reports:
--       7 comment-report:<id>.<number>  8 changes:  then the actor's
-- ARGV  1 the comment's number  2 <article's id>.<number>  3 the comment as a member of rankings  4 author's name, as the
--       actor's or as the caller knows it  5 the field with the reason of its removal  then the actor's
-- Answers  deleted (now or before) | comment-unknown | not-yours | removed (an author cannot delete what was removed: the
--          reason must stay readable) | again <author> (for the operator: the author is another) | logged-out | held
local refusal, is_operator = check_actor()
if refusal then
  return refusal
end
local number, comment, member, author, reason_field = unpack(ARGV)
local node = read_node(KEYS[2], number)
if not node then
  return { 'comment-unknown' }
elseif has_state(node, 'd') then
  return { 'deleted' }
elseif not is_author(node, author) then
  return is_operator and { 'again', node.author } or { 'not-yours' }
elseif has_state(node, 'rR') and not is_operator then
  return { 'removed' }
end
check_types(1, 1, 'hash')
check_types(3, 3, 'hash')
check_types(4, 4, 'string')
check_types(5, 5, 'list')
check_types(6, 6, 'zset')
check_types(7, 7, 'hash')
check_types(8, 8, 'stream')

-- What stands below a comment that was removed with its replies stays hidden, with the reason.
write_when_full(KEYS[2])
node.author, node.state = '', has_state(node, 'R') and 'dR' or 'd'
write_node(KEYS[2], number, node)
if node.state == 'd' then
  redis.call('HDEL', KEYS[2], reason_field, removed_by_field(reason_field))
end
redis.call('HDEL', KEYS[3], number)
set_hidden(KEYS[4], KEYS[1], number, true)
redis.call('LREM', KEYS[5], 1, comment)
redis.call('ZREM', KEYS[6], member)
redis.call('UNLINK', KEYS[7])
record_change(KEYS[8], 'c', comment)
return { 'deleted' }
