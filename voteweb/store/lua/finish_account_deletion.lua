-- Record that all articles of a member who left have been deleted or disowned, if they have.
-- KEYS  1 leaving:  2 posted:<member>  3 gone:<member>
-- ARGV  1 name in lower case
-- Answers  done | more (there are articles again)
check_types(1, 1, 'set')
if redis.call('ZCARD', KEYS[2]) + redis.call('ZCARD', KEYS[3]) > 0 then
  return { 'more' }
end
redis.call('SREM', KEYS[1], ARGV[1])
return { 'done' }
