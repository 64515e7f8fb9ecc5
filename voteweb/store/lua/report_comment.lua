-- Record a member's report of a comment, once.
-- KEYS  1 article:<id>  2 thread:<id>  3 reports:  4 comment-report:<id>.<number>  5 reported-comments:<member>
--       6 stats:<day>  then the actor's
-- ARGV  1 number of the comment  2 the comment as a member of rankings  3 the comment as <id>.<number>
--       4 reporter's name in lower case  5 the report as JSON  6 seconds for which statistics are kept
--       then the actor's
-- Answers  reported | already | unknown | gone (it, one above it or the article) | logged-out
local refusal = check_actor()
if refusal then
  return refusal
end
local number, member, comment, reporter, json, statistics_seconds = unpack(ARGV)
local title, gone = unpack(redis.call('HMGET', KEYS[1], 'title', 'gone'))
local node = title and read_node(KEYS[2], number)
if not node then
  return { 'unknown' }
end
local _, is_covered = walk_up(KEYS[2], tonumber(number))
if gone == 'removed' or is_covered or has_state(node, 'drR') then
  return { 'gone' }
elseif redis.call('SISMEMBER', KEYS[5], comment) == 1 then
  return { 'already' }
end
check_types(3, 3, 'zset')
check_types(4, 4, 'hash')
check_types(6, 6, 'hash')

store_report(KEYS[3], KEYS[4], KEYS[5], member, comment, reporter, json)
count_act(KEYS[6], 'reports', 1, statistics_seconds)
return { 'reported' }
