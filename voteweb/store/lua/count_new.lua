#!lua flags=no-writes
-- Count the comments that no page has shown a member, for articles where the member was before.
-- keys: seen:{name} hides:{name}
-- args: article_ids
-- helpers: common: try
-- The ids have spaces between them: one argument costs the caller a tenth of 25. Comments by members whom this one hides are
-- not new; of members with many, the newest are left out. visits.lua reads all of a visit.
-- Answers  <for each article the number of new comments, nil where the member never was>
if redis.call('EXISTS', seen_key) == 0 then
  return {}
end
local ids, answer, hidden = {}, {}, nil
for id in string.gmatch(article_ids, '%d+') do
  ids[#ids + 1] = id
end

-- Return, by the id of each article, the numbers of comments by the members who are hidden: most of them wrote little.
local function read_hidden()
  local names, numbers = {}, {}
  for _, entry in ipairs(try('ZRANGE', hides_key, 0, -1) or {}) do
    names[#names + 1] = string.match(entry, '^m(.+)')
  end
  for _, id in ipairs(ids) do
    numbers[id] = {}
  end
  for _, name in ipairs(names) do
    local newest = math.ceil(MAX_CHECKED_NEW / #names)
    for _, comment in ipairs(try('LRANGE', prefix .. 'commented:' .. name, 0, newest - 1) or {}) do
      local id, number = string.match(comment, '^(%d+)%.(%d+)$')
      if numbers[id] then
        table.insert(numbers[id], tonumber(number))
      end
    end
  end
  return numbers
end

-- Count the comments from first to last that can be read and are by nobody who is hidden.
local function count_range(id, first, last)
  if first > last then
    return 0
  end
  hidden = hidden or read_hidden()
  local gone_key = prefix .. 'hidden:' .. id
  local count = last - first + 1 - redis.call('BITCOUNT', gone_key, first, last, 'BIT')
  for _, number in ipairs(hidden[id]) do
    if first <= number and number <= last and redis.call('GETBIT', gone_key, number) == 0 then
      count = count - 1
    end
  end
  return count
end

local function count(id, visit)
  local newest, ranges = string.match(visit, '^%d+ (%d+) %d+(.*)')
  if not newest then
    return false
  end
  newest = tonumber(newest)
  local last = tonumber(redis.call('HGET', prefix .. 'thread:' .. id, 'last') or '') or 0
  if last <= newest and (ranges == '' or string.find(ranges, '^ %d+%-%d+@')) then
    return 0 -- unread ranges come first
  end
  local new = count_range(id, newest + 1, last)
  -- No match is of a range that a page has shown: "@" is no end.
  for first, to in string.gmatch(ranges, '[ ,](%d+)%-?(%d*)%f[ ,%z]') do
    if to ~= '' then
      new = new + count_range(id, tonumber(first), math.min(to, last))
    elseif tonumber(first) > newest then -- one of their own
      new = new - count_range(id, tonumber(first), math.min(first, last))
    end
  end
  return math.max(new, 0)
end

for i, visit in ipairs(redis.call('HMGET', seen_key, unpack(ids))) do
  local is_safe, new = pcall(count, ids[i], visit or '')
  answer[i] = is_safe and new
end
return answer
