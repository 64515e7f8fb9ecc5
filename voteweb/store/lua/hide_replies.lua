-- Compare some bits of hidden:<id> with the thread, after a comment was removed with its replies or restored with them.
-- KEYS  1 article:<id>  2 thread:<id>  3 hidden:<id>  4 removing:
-- ARGV  1 the article's id  2 how many comments
-- Answers  more (run it again) | done
-- The thread holds how far this is: it can be cut off anywhere, and run by several processes at once.
local id, count = unpack(ARGV)
check_types(1, 2, 'hash')
check_types(3, 3, 'string')
if redis.call('SISMEMBER', KEYS[4], id) == 0 then
  return { 'done' }
end
local is_covering = {}

-- Tell whether the comment with this number, or one above it, was removed together with its replies.
local function covers(number)
  local path, result = {}, false
  while number > 0 do
    local node = is_covering[number] == nil and read_node(KEYS[2], number)
    path[#path + 1] = number
    if not node or node.parent >= number then
      result = is_covering[number] or false
      break
    elseif has_state(node, 'R') then
      result = true
      break
    end
    number = node.parent
  end
  for _, passed in ipairs(path) do
    is_covering[passed] = result
  end
  return result
end

local first, last = unpack(redis.call('HMGET', KEYS[2], 'hiding', 'last'))
first, last = math.max(tonumber(first or '') or 1, 1), tonumber(last or '') or 0
if redis.call('EXISTS', KEYS[1]) == 0 then
  last = 0
end
local stop = math.min(first + tonumber(count) - 1, last)
write_when_full(KEYS[2])
for number = first, stop do
  local node = read_node(KEYS[2], number)
  if node then
    set_hidden(KEYS[3], KEYS[1], number, has_state(node, 'drR') or covers(node.parent))
  end
end
if stop < last then
  redis.call('HSET', KEYS[2], 'hiding', string.format('%d', stop + 1))
  return { 'more' }
end
redis.call('HDEL', KEYS[2], 'hiding')
redis.call('SREM', KEYS[4], id)
return { 'done' }
