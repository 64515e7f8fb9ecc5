-- Record a member's report of an article, once.
-- KEYS  1 article:<id>  2 reports:  3 report:<id>  4 reported:<member>  5 stats:<day>  then the actor's
-- ARGV  1 the article as a member of rankings  2 its id  3 reporter's name in lower case  4 the report as JSON
--       5 seconds for which statistics are kept  then the actor's
-- Answers  reported | already | unknown | gone | logged-out
local refusal = check_actor()
if refusal then
  return refusal
end
local member, id, reporter, json, statistics_seconds = unpack(ARGV)
local title, gone = unpack(redis.call('HMGET', KEYS[1], 'title', 'gone'))
if not title then
  return { 'unknown' }
elseif gone then
  return { 'gone' }
elseif redis.call('SISMEMBER', KEYS[4], id) == 1 then
  return { 'already' }
end
check_types(2, 2, 'zset')
check_types(3, 3, 'hash')
check_types(5, 5, 'hash')

store_report(KEYS[2], KEYS[3], KEYS[4], member, id, reporter, json)
count_act(KEYS[5], 'reports', 1, statistics_seconds)
return { 'reported' }
