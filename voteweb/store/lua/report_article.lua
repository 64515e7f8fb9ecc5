-- Record a member's report of an article, once.
-- KEYS  1 article:<id>  2 reports:  3 report:<id>  4 reported:<member>
-- ARGV  1 the article as a member of rankings  2 reporter's name in lower case  3 the report as JSON
-- Answers  reported | already | unknown | gone
local member, reporter, json = unpack(ARGV)
local title, gone = unpack(redis.call('HMGET', KEYS[1], 'title', 'gone'))
if not title then
  return { 'unknown' }
elseif gone then
  return { 'gone' }
elseif redis.call('HEXISTS', KEYS[4], member) == 1 then
  return { 'already' }
end
check_types(2, 2, 'zset')
check_types(3, 3, 'hash')

local report = cjson.decode(json)
report.time = tonumber(now())
local stored = cjson.encode(report)
redis.call('HSET', KEYS[4], member, stored)
redis.call('HSET', KEYS[3], reporter, stored)
redis.call('ZADD', KEYS[2], redis.call('HLEN', KEYS[3]), member)
return { 'reported' }
