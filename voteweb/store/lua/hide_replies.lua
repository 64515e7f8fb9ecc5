-- Compare the bits of hidden:<id> of some comments with the thread, after a comment was removed with its replies or restored
-- with them.
-- keys: article:{article} thread:{article} hidden:{article} removing:
-- args: article
-- Answers  more (run it again) | done
-- The thread holds how far this is: it can be cut off anywhere, and run by several processes at once.
check_keys()
if redis.call('SISMEMBER', removing_key, article) == 0 then
  return { 'done' }
end
local is_covering = {}

-- Tell whether the comment with this number, or one above it, was removed together with its replies.
local function covers(number)
  local path, result = {}, false
  while number > 0 do
    local node = is_covering[number] == nil and read_node(thread_key, number)
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

local first, last = unpack(redis.call('HMGET', thread_key, 'hiding', 'last'))
first, last = math.max(tonumber(first or '') or 1, 1), math.min(tonumber(last or '') or 0, MAX_COMMENTS)
if redis.call('EXISTS', article_key) == 0 then
  last = 0
end
local stop = math.min(first + REMOVAL_STEP - 1, last)
write_when_full(thread_key)
for number = first, stop do
  local node = read_node(thread_key, number)
  if node then
    set_hidden(hidden_key, article_key, number, has_state(node, 'drR') or covers(node.parent))
  end
end
if stop < last then
  redis.call('HSET', thread_key, 'hiding', string.format('%d', stop + 1))
  return { 'more' }
end
redis.call('HDEL', thread_key, 'hiding')
redis.call('SREM', removing_key, article)
return { 'done' }
