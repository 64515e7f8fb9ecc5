-- Replace the name of a member who left in one of their comments, and take it from the head of their list.
-- KEYS  1 thread:<id>  2 commented:<member>  3 changes:
-- ARGV  1 the comment in lists ("<id>.<number>")  2 its number  3 the member's name  4 what replaces it
-- Answers  done
local member, number, name, replacement = unpack(ARGV)
check_types(1, 1, 'hash')
check_types(2, 2, 'list')
check_types(3, 3, 'stream')
local node = read_node(KEYS[1], number)
if node and is_author(node, name) then
  write_when_full(KEYS[1])
  node.author = replacement
  write_node(KEYS[1], number, node)
  record_change(KEYS[3], 'c', member)
end
-- The caller takes the comments from the head: one that does not stand there has been deleted, and is not searched for.
if redis.call('LINDEX', KEYS[2], 0) == member then
  redis.call('LREM', KEYS[2], 1, member)
end
return { 'done' }
