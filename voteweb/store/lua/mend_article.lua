-- Gives an article the votes that its voters make and the places that its fields give it, wherever it stands now.
-- KEYS  1 article:<id>  2 voted:<id>  3 time:  4 score:  5 good:  6 posted:<poster>  7 gone:<poster>  8 link:<digest>
--       9 user:<poster>  then for each group of the article that exists three: group:<g> time:<g> score:<g>
-- ARGV  1 seconds per vote  2 votes of a good article  3 voting seconds  4 seconds a link is remembered
--       5 the article's groups  6 its poster  7 its link, each as the caller knows it
-- Answers  mended | sound | again (groups, link or poster are others)
--          | hopeless (a field is missing or makes no sense, and nothing else tells it)
-- While voting is open, votes = base + voters; after that the votes stay as they are.
local title, link, poster, posted, votes, base, field, gone = unpack(
  redis.call('HMGET', KEYS[1], 'title', 'link', 'poster', 'time', 'votes', 'base', 'groups', 'gone'))
local time = tonumber(posted or '')
if not title or not time or (gone and gone ~= 'deleted' and gone ~= 'removed') then
  return { 'hopeless' }
elseif (field or '') ~= ARGV[5] or (poster or '') ~= ARGV[6] or (link or '') ~= ARGV[7] then
  return { 'again' }
end
check(2, 2, 'set')
check(3, 8, 'zset')
check(9, 9, 'hash')
for i = 10, #KEYS, 3 do
  check(i, i, 'set')
  check(i + 1, i + 2, 'zset')
end
-- A whole number; what is missing is nothing, as a program after the book leaves it.
local function amount(text)
  return not text and 0 or string.match(text, '^%s*[+-]?%d+%s*$') and tonumber(text)
end
local voters = redis.call('SCARD', KEYS[2])
local count, own = amount(votes), amount(base)
if not own and count then
  own = count - voters
end
if own and gone ~= 'deleted' and tonumber(now()) < time + tonumber(ARGV[3]) then
  count = own + voters
end
if not count or not own then
  return { 'hopeless' }
end

local changed = false
local function settle_field(name, before, number)
  if tonumber(before or 0) ~= number then
    redis.call('HSET', KEYS[1], name, string.format('%d', number))
    changed = true
  end
end
local function settle(i, number)
  local stands = redis.call('ZSCORE', KEYS[i], KEYS[1])
  if number and tonumber(stands or 'nan') ~= number then
    rank(KEYS[i], number, KEYS[1])
    changed = true
  elseif stands and not number then
    redis.call('ZREM', KEYS[i], KEYS[1])
    changed = true
  end
end
local listed = not gone
local points = listed and time + count * tonumber(ARGV[1])
local is_member = redis.call('HEXISTS', KEYS[9], 'id') == 1
settle_field('votes', votes, count)
settle_field('base', base, own)
settle(3, listed and time)
settle(4, points)
settle(5, listed and count >= tonumber(ARGV[2]) and time)
settle(6, listed and is_member and time)
settle(7, gone and is_member and time)
local linked = redis.call('ZSCORE', KEYS[8], KEYS[1])
local fresh = base and tonumber(now()) < time + tonumber(ARGV[4])
if not listed or ARGV[7] == '' then
  settle(8, nil)
elseif (linked or fresh) and tonumber(linked or 'nan') ~= time then
  remember_link(KEYS[8], time, tonumber(ARGV[4]), KEYS[1])
  changed = true
end
for i = 10, #KEYS, 3 do
  local inside = redis.call('SISMEMBER', KEYS[i], KEYS[1]) == 1
  if inside ~= listed then
    redis.call(listed and 'SADD' or 'SREM', KEYS[i], KEYS[1])
    changed = true
  end
  settle(i + 1, listed and time)
  settle(i + 2, points)
end
return { changed and 'mended' or 'sound' }
