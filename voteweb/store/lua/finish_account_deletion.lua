-- Record that nothing is left of what a member who left has made, if that is so.
-- KEYS  1 leaving:  2 posted:<member>  3 gone:<member>  4 reported:<member>  5 invites:<member>  6 commented:<member>
--       7 reported-comments:<member>  8 inbox:<member>  9 unread:<member>  10 seen:<member>  11 follows:<member>
--       12 hides:<member>  13 saved:<member>  14 notes:<member>
-- ARGV  1 name in lower case
-- Answers  done | more (there is something, perhaps again)
check_types(1, 1, 'set')
check_types(2, 3, 'zset')
check_types(4, 4, 'set')
check_types(5, 5, 'zset')
check_types(6, 6, 'list')
check_types(7, 7, 'set')
check_types(8, 9, 'list')
check_types(10, 10, 'hash')
check_types(11, 13, 'zset')
check_types(14, 14, 'hash')
for i = 2, #KEYS do
  if redis.call('EXISTS', KEYS[i]) == 1 then
    return { 'more' }
  end
end
redis.call('SREM', KEYS[1], ARGV[1])
return { 'done' }
