-- Put a comment once into the list of its author's comments, where it belongs, or take it out of that of another; or
-- leave it once among the site's newest.
-- KEYS  1 commented:<name> or comments:  2 thread:<id>
-- ARGV  1 the name as the comment has it, empty for the site's newest  2 <article's id>.<number>  3 number
--       4 the comment in the list in front of which it belongs; empty: to the end
-- Answers  repaired | unchanged | again (the list has no such comment now) | unrepairable (the comment cannot be read)
local name, comment, number, before = unpack(ARGV)
local node = read_node(KEYS[2], number)
if not node and redis.call('HEXISTS', KEYS[2], number) == 1 then
  return { 'unrepairable' }
end
local places = redis.call('LPOS', KEYS[1], comment, 'COUNT', 0)
local belongs = node and (name == '' or not has_state(node, 'd') and is_name_of(node.author, name))
if not belongs then
  return { redis.call('LREM', KEYS[1], 0, comment) > 0 and 'repaired' or 'unchanged' }
elseif #places > 1 then
  redis.call('LREM', KEYS[1], 1 - #places, comment)
  return { 'repaired' }
elseif #places == 1 or name == '' then
  return { 'unchanged' }
elseif before == '' then
  redis.call('RPUSH', KEYS[1], comment)
elseif redis.call('LINSERT', KEYS[1], 'BEFORE', before, comment) < 1 then
  return { 'again' }
end
return { 'repaired' }
