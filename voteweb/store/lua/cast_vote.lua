-- Counts one member's vote on an article, or takes it back; membership in the voters decides, so twice is as once.
-- KEYS  1 article:<id>  2 voted:<id>  3 score:  4 good:  then for each group of the article: score:<g>
-- ARGV  1 "cast" or "take-back"  2 voter's id  3 voter's name  4 seconds per vote  5 votes of a good article
--       6 voting seconds  7 seconds the voters outlive them  8 the article's groups as the caller knows them
-- Answers  counted <votes> | already <votes> | absent <votes> (no vote to take back) | own <votes> | unknown | gone
--          | closed <unix time> | again <groups> (the article's groups are these: name their rankings and ask again)
local title, poster, posted, groups, base, gone = unpack(
  redis.call('HMGET', KEYS[1], 'title', 'poster', 'time', 'groups', 'base', 'gone'))
if not title or not posted then
  return { 'unknown' }
elseif gone then
  return { 'gone' }
end
if (groups or '') ~= ARGV[8] then
  return { 'again', groups or '' }
end
check(2, 2, 'set')
check(3, #KEYS, 'zset')
local time = tonumber(posted)
local closing = time + tonumber(ARGV[6])
if tonumber(now()) >= closing then
  return { 'closed', exact(closing) }
end
base = tonumber(base or 0)
local is_voter = redis.call('SISMEMBER', KEYS[2], ARGV[2]) == 1
local count = string.format('%d', base + redis.call('SCARD', KEYS[2]))
if ARGV[1] == 'cast' and is_voter then
  return { 'already', count }
end
if ARGV[1] == 'take-back' then
  if not is_voter then
    return { 'absent', count }
  elseif string.lower(poster or '') == string.lower(ARGV[3]) then
    return { 'own', count }
  end
end

if ARGV[1] == 'cast' then
  redis.call('SADD', KEYS[2], ARGV[2])
else
  redis.call('SREM', KEYS[2], ARGV[2])
end
redis.call('EXPIREAT', KEYS[2], string.format('%d', math.ceil(closing + tonumber(ARGV[7]))))
local votes = base + redis.call('SCARD', KEYS[2])
local points = time + votes * tonumber(ARGV[4])
redis.call('HSET', KEYS[1], 'votes', string.format('%d', votes))
rank(KEYS[3], points, KEYS[1])
rank_good(KEYS[4], votes, tonumber(ARGV[5]), time, KEYS[1])
for i = 5, #KEYS do
  rank(KEYS[i], points, KEYS[1])
end
return { 'counted', string.format('%d', votes) }
