-- Withdraw a report by a member who left, whether it is open or settled.
-- KEYS  1 reports:  2 report:<id>  3 reported:<member>
-- ARGV  1 the article as a member of rankings  2 its id  3 reporter's name in lower case
-- Answers  withdrawn
local member, id, reporter = unpack(ARGV)
check_types(1, 1, 'zset')
check_types(2, 2, 'hash')
check_types(3, 3, 'set')
if redis.call('HDEL', KEYS[2], reporter) == 1 then
  local count = redis.call('HLEN', KEYS[2])
  if count > 0 then
    rank(KEYS[1], count, member)
  else
    redis.call('ZREM', KEYS[1], member)
  end
end
redis.call('SREM', KEYS[3], id)
return { 'withdrawn' }
