-- Give an article the score that its votes are worth now, in every ranking by score that holds it.
-- KEYS  1 article:<id>  2 score:  3 good:  then score:<g> for each group of the article
-- ARGV  1 the article as a member of rankings  2 seconds per vote  3 votes of a good article
--       4 the article's groups as the caller knows them
-- Answers  moved | same | again <groups> (the article's groups are these) | unknown (no such article, or it is gone)
local member, vote_score, good_votes, known_groups = unpack(ARGV)
local FIRST_GROUP_KEY = 4
local title, posted, votes, field, gone = unpack(
  redis.call('HMGET', KEYS[1], 'title', 'time', 'votes', 'groups', 'gone'))
local time, count = finite(posted or ''), finite(votes or 0)
if not title or not time or not count or gone then
  return { 'unknown' }
elseif (field or '') ~= known_groups then
  return { 'again', field or '' }
end
check_types(2, #KEYS, 'zset')
write_when_full(KEYS[1])
local points, moved = score(time, count, tonumber(vote_score)), false
local function rescore(i)
  local stored = redis.call('ZSCORE', KEYS[i], member)
  if stored and tonumber(stored) ~= points then
    rank(KEYS[i], points, member)
    moved = true
  end
end
rescore(2)
for i = FIRST_GROUP_KEY, #KEYS do
  rescore(i)
end
local was_good = redis.call('ZSCORE', KEYS[3], member)
rank_good(KEYS[3], count, tonumber(good_votes), time, member)
if (count >= tonumber(good_votes)) ~= (was_good ~= false) then
  moved = true
end
return { moved and 'moved' or 'same' }
