-- Gives an article the score that its votes are worth by now, in every list by score that holds it.
-- KEYS  1 article:<id>  2 score:  3 good:  then for each group of the article: score:<g>
-- ARGV  1 seconds per vote  2 votes of a good article  3 the article's groups as the caller knows them
-- Answers  moved | same | again <groups> (the article's groups are these) | unknown (no such article, or it is gone)
local title, posted, votes, field, gone = unpack(
  redis.call('HMGET', KEYS[1], 'title', 'time', 'votes', 'groups', 'gone'))
local time, count = tonumber(posted or ''), tonumber(votes or 0)
if not title or not time or not count or gone then
  return { 'unknown' }
elseif (field or '') ~= ARGV[3] then
  return { 'again', field or '' }
end
check(2, #KEYS, 'zset')
local points, moved = time + count * tonumber(ARGV[1]), false
local function settle(i)
  local stands = redis.call('ZSCORE', KEYS[i], KEYS[1])
  if stands and tonumber(stands) ~= points then
    rank(KEYS[i], points, KEYS[1])
    moved = true
  end
end
settle(2)
for i = 4, #KEYS do
  settle(i)
end
local was_good = redis.call('ZSCORE', KEYS[3], KEYS[1])
rank_good(KEYS[3], count, tonumber(ARGV[2]), time, KEYS[1])
if (count >= tonumber(ARGV[2])) ~= (was_good ~= false) then
  moved = true
end
return { moved and 'moved' or 'same' }
