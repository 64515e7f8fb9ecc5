-- Set the bits that say which comments nobody can read, and the number of comments of their article, which follows.
-- KEYS  1 article:<id>  2 thread:<id>  3 hidden:<id>  4 removing:
-- ARGV  1 the article's id  then the numbers of the comments whose bits are to be set
-- Answers  repaired <comments> | unchanged | again (a removal is just hiding or showing some of these comments)
-- The bit of a number that no comment has is 1 up to the last number, and 0 after it.
local comments = redis.call('HGET', KEYS[1], 'comments')
local last = tonumber(string.match(redis.call('HGET', KEYS[2], 'last') or '', '^%d+$') or '') or 0
check_types(3, 3, 'string')
check_types(4, 4, 'set')
if #ARGV > 1 and redis.call('SISMEMBER', KEYS[4], ARGV[1]) == 1 then
  return { 'again' }
end
local changed = false
for i = 2, #ARGV do
  local number = tonumber(ARGV[i])
  local node = number <= last and read_node(KEYS[2], number)
  local _, is_covered = walk_up(KEYS[2], number)
  local bit = (not node or is_covered or has_state(node, 'drR')) and 1 or 0
  if number <= last and redis.call('SETBIT', KEYS[3], number, bit) ~= bit then
    changed = true
  end
end
local function bits_of_comments()
  return last > 0 and redis.call('BITCOUNT', KEYS[3], 1, last, 'BIT') or 0
end
if redis.call('BITCOUNT', KEYS[3]) ~= bits_of_comments() then
  local bytes = last > 0 and redis.call('GETRANGE', KEYS[3], 0, math.floor(last / 8)) or ''
  redis.call('DEL', KEYS[3])
  if last > 0 then
    redis.call('SET', KEYS[3], bytes)
    redis.call('SETBIT', KEYS[3], 0, 0)
    for number = last + 1, 8 * math.floor(last / 8) + 7 do
      redis.call('SETBIT', KEYS[3], number, 0)
    end
  end
  changed = true
elseif last == 0 then
  changed = redis.call('DEL', KEYS[3]) == 1
end
local visible = string.format('%d', last - bits_of_comments())
if (comments or '0') ~= visible and redis.call('HEXISTS', KEYS[1], 'title') == 1 then
  redis.call('HSET', KEYS[1], 'comments', visible)
  changed = true
end
return changed and { 'repaired', 'comments ' .. visible } or { 'unchanged' }
