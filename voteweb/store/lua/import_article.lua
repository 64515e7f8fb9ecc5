-- Lays in one article from elsewhere, unless the same row was imported before.
-- KEYS  1 article:<id>  2 voted:<id>  3 time:  4 score:  5 good:  6 posted:<poster>  7 imported:
--       8 link:<digest>  then for each group three: group:<g> time:<g> score:<g>
-- ARGV  1 title  2 link  3 text  4 poster's name  5 poster's id  6 unix time  7 votes  8 seconds per vote
--       9 votes of a good article  10 voting seconds  11 seconds the voters outlive them  12 digest of the row
--       13 seconds a link is remembered  then the groups' names
-- Answers  imported | known | taken (the id is another's)
-- While voting is open the poster is a voter, as with any article, and the other votes are the base.
if redis.call('SISMEMBER', KEYS[7], ARGV[12]) == 1 then
  return { 'known' }
elseif redis.call('EXISTS', KEYS[1]) == 1 then
  return { 'taken' }
end
check(2, 2, 'set')
check(3, 6, 'zset')
check(8, 8, 'zset')
check_groups(14, 9)
local posted = free_time(KEYS[3], string.format('%.6f', tonumber(ARGV[6])))
local time, votes = tonumber(posted), tonumber(ARGV[7])
local points = time + votes * tonumber(ARGV[8])
local closing = time + tonumber(ARGV[10])
local base = votes

if tonumber(now()) < closing then
  base = votes - 1
  redis.call('SADD', KEYS[2], ARGV[5])
  redis.call('EXPIREAT', KEYS[2], string.format('%d', math.ceil(closing + tonumber(ARGV[11]))))
end
redis.call('HSET', KEYS[1], 'title', ARGV[1], 'link', ARGV[2], 'text', ARGV[3], 'poster', ARGV[4], 'time', posted,
  'votes', string.format('%d', votes), 'base', string.format('%d', base), 'groups', table.concat(ARGV, ' ', 14))
rank(KEYS[3], time, KEYS[1])
rank(KEYS[4], points, KEYS[1])
rank_good(KEYS[5], votes, tonumber(ARGV[9]), time, KEYS[1])
rank(KEYS[6], time, KEYS[1])
if ARGV[2] ~= '' and tonumber(now()) < time + tonumber(ARGV[13]) then
  remember_link(KEYS[8], time, tonumber(ARGV[13]), KEYS[1])
end
for i = 14, #ARGV do
  enter_group(9 + 3 * (i - 14), time, points, KEYS[1])
end
redis.call('SADD', KEYS[7], ARGV[12])
return { 'imported' }
