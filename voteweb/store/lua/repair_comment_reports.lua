-- Make the queue of reports agree with the open reports of a comment; one that is deleted or removed has none.
-- KEYS  1 thread:<id>  2 reports:  3 comment-report:<id>.<number>
-- ARGV  1 the comment as a member of rankings  2 its number
-- Answers  repaired | unchanged | unrepairable (the comment cannot be read)
local member, number = unpack(ARGV)
local node = read_node(KEYS[1], number)
if not node and redis.call('HEXISTS', KEYS[1], number) == 1 then
  return { 'unrepairable' }
end
check_types(2, 2, 'zset')
check_types(3, 3, 'hash')
local changed = false
if not node or has_state(node, 'drR') then
  changed = redis.call('UNLINK', KEYS[3]) == 1
end
local count, queued = redis.call('HLEN', KEYS[3]), redis.call('ZSCORE', KEYS[2], member)
if count == 0 then
  changed = redis.call('ZREM', KEYS[2], member) == 1 or changed
elseif tonumber(queued or 'nan') ~= count then
  rank(KEYS[2], count, member)
  changed = true
end
return { changed and 'repaired' or 'unchanged' }
