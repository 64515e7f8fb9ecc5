-- Takes a member's report of an article, once.
-- KEYS  1 article:<id>  2 reports:  3 report:<id>  4 reported:<member>
-- ARGV  1 member's name in lower case  2 the report as JSON
-- Answers  reported | already | unknown | gone
local title, gone = unpack(redis.call('HMGET', KEYS[1], 'title', 'gone'))
if not title then
  return { 'unknown' }
elseif gone then
  return { 'gone' }
elseif redis.call('HEXISTS', KEYS[4], KEYS[1]) == 1 then
  return { 'already' }
end
check(2, 2, 'zset')
check(3, 3, 'hash')

local report = cjson.decode(ARGV[2])
report.time = tonumber(now())
local text = cjson.encode(report)
redis.call('HSET', KEYS[4], KEYS[1], text)
redis.call('HSET', KEYS[3], ARGV[1], text)
redis.call('ZADD', KEYS[2], redis.call('HLEN', KEYS[3]), KEYS[1])
return { 'reported' }
