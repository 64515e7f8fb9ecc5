-- Puts a removed article back into every list, with its votes.
-- KEYS  1 article:<id>  2 time:  3 score:  4 good:  5 posted:<poster>  6 gone:<poster>  7 link:<digest>
--       8 user:<poster>  then for each group of the article three: group:<g> time:<g> score:<g>;  then the log's
-- ARGV  1 number of the log's keys  2 log entry  3 seconds per vote  4 votes of a good article
--       5 seconds a link is remembered  6 the article's link as the caller knows it  7 its poster as
--       the caller knows it  then its groups' names
-- Answers  restored | already (it is not gone) | unknown | deleted
--          | again (groups, link or poster are others)
local title, link, poster, posted, votes, field, gone = unpack(
  redis.call('HMGET', KEYS[1], 'title', 'link', 'poster', 'time', 'votes', 'groups', 'gone'))
if not title or not posted then
  return { 'unknown' }
elseif not gone then
  return { 'already' }
elseif gone == 'deleted' then
  return { 'deleted' }
elseif (field or '') ~= table.concat(ARGV, ' ', 8) or (link or '') ~= ARGV[6] or (poster or '') ~= ARGV[7] then
  return { 'again' }
end
check(2, 7, 'zset')
check(8, 8, 'hash')
check_groups(8, 9)
check_log()

local time, count = tonumber(posted), tonumber(votes or 0)
local points = time + count * tonumber(ARGV[3])
rank(KEYS[2], time, KEYS[1])
rank(KEYS[3], points, KEYS[1])
rank_good(KEYS[4], count, tonumber(ARGV[4]), time, KEYS[1])
if redis.call('HEXISTS', KEYS[8], 'id') == 1 then
  rank(KEYS[5], time, KEYS[1])
end
redis.call('ZREM', KEYS[6], KEYS[1])
if ARGV[6] ~= '' and tonumber(now()) < time + tonumber(ARGV[5]) then
  remember_link(KEYS[7], time, tonumber(ARGV[5]), KEYS[1])
end
for i = 8, #ARGV do
  enter_group(9 + 3 * (i - 8), time, points, KEYS[1])
end
redis.call('HDEL', KEYS[1], 'gone', 'reason')
record()
return { 'restored' }
