-- Counts one member's vote on an article, or takes it back; membership in the voters decides, so twice is as once.
-- Only what changes something counts against the limit.
-- KEYS  1 article:<id>  2 voted:<id>  3 score:  4 good:  5 user:<voter's name>  then for each group of the article:
--       score:<g>  then, with a limit: limit:<kind>-<digest>
-- ARGV  1 "cast" or "take-back"  2 voter's id  3 voter's name  4 voter's session word  5 seconds per vote
--       6 votes of a good article  7 voting seconds  8 seconds the voters outlive them  9 the article's groups as the
--       caller knows them  then, with a limit: 10 acts at once  11 seconds per act in the long run
-- Answers  counted <votes> | already <votes> | absent <votes> (no vote to take back) | own <votes> | unknown | gone
--          | closed <unix time> | out (the voter is logged out or banned) | again <groups> (the article's groups are
--          these: name their rankings and ask again) | full 1 <seconds to wait> <unix time from which it is taken>
local session, banned, left = unpack(redis.call('HMGET', KEYS[5], 'session', 'banned', 'left'))
if session ~= ARGV[4] or (banned or '0') ~= '0' or left then
  return { 'out' }
end
local title, poster, posted, groups, base, gone = unpack(
  redis.call('HMGET', KEYS[1], 'title', 'poster', 'time', 'groups', 'base', 'gone'))
if not title or not posted then
  return { 'unknown' }
elseif gone then
  return { 'gone' }
end
if (groups or '') ~= ARGV[9] then
  return { 'again', groups or '' }
end
local rankings = ARGV[10] and #KEYS - 1 or #KEYS
check(2, 2, 'set')
check(3, 4, 'zset')
check(6, rankings, 'zset')
check(rankings + 1, #KEYS, 'string')
local time = tonumber(posted)
local closing = time + tonumber(ARGV[7])
if tonumber(now()) >= closing then
  return { 'closed', exact(closing) }
end
base = tonumber(base or 0)
local count = string.format('%d', base + redis.call('SCARD', KEYS[2]))
local is_voter = redis.call('SISMEMBER', KEYS[2], ARGV[2]) == 1
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
local full = ARGV[10] and charge(#KEYS, 10)
if full then
  return full
end

if ARGV[1] == 'cast' then
  redis.call('SADD', KEYS[2], ARGV[2])
else
  redis.call('SREM', KEYS[2], ARGV[2])
end
redis.call('EXPIREAT', KEYS[2], string.format('%d', math.ceil(closing + tonumber(ARGV[8]))))
local votes = base + redis.call('SCARD', KEYS[2])
local points = time + votes * tonumber(ARGV[5])
redis.call('HSET', KEYS[1], 'votes', string.format('%d', votes))
rank(KEYS[3], points, KEYS[1])
rank_good(KEYS[4], votes, tonumber(ARGV[6]), time, KEYS[1])
for i = 6, rankings do
  rank(KEYS[i], points, KEYS[1])
end
return { 'counted', string.format('%d', votes) }
