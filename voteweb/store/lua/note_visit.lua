-- Note that a member sees the conversation of an article as it is now, and read the article. A server whose memory is full
-- does not stop the page: it notes nothing. Nor is anything noted of a member who has left: the page is asked for before their
-- session is looked at.
-- keys: seen:{name} thread:{article} article:{article} words:{article} voted-comments:{article}-{block} user:{name}
-- args: article root page goes_on fields*
-- helpers: visits: format_visit read_visit show
-- root is the comment whose replies the page shows, 0 for the whole conversation; the page of a comment begins no visit.
-- goes_on is 1 if a visit goes on: what it has shown stays marked. The block of voters is 0, those of the first 511
-- comments; the first of the article's fields is its title.
-- Answers  visit <what is stored of it, "" if nothing is> <what was stored before> <time>
--          <state of the conversation and of its words> <number of votes> <the values of the fields> | unknown
-- The state is that of read_thread.lua, and then the number of words. The votes are members of the last key. Each vote for a
-- comment, and each that is taken back, writes a new revision of the conversation: while the state is the same, so are the
-- votes. Their number tells of a key that has expired or was deleted.
local values = redis.call('HMGET', article_key, unpack(fields))
if not values[1] then
  return { 'unknown' }
end
local last, revision = unpack(redis.call('HMGET', thread_key, 'last', 'rev'))
local state = (revision or '0') .. ' ' .. redis.call('HLEN', thread_key) .. ' ' .. redis.call('HLEN', words_key)
local votes = redis.call('SCARD', voted_comments_key)
last, root = tonumber(string.match(last or '', '^%d+$') or '') or 0, tonumber(root)
local time = tonumber(redis.call('TIME')[1])
local stored = redis.call('HGET', seen_key, article) or ''
local same, noted = string.match(stored, '^(%d+) %1 (%d+)$')
if not same and goes_on == '1' then -- unread ranges come before those that a page has shown
  same, noted = string.match(stored, '^(%d+) %1 (%d+) %d+%-%d+@')
end
if tonumber(same or '') == last and math.abs(time - noted) < tonumber(VISIT_NOTED_SECONDS) then
  -- To note it costs as much as the rest, and the page after a vote for a comment is one of these.
  return { 'visit', stored, stored, tostring(time), state, votes, values }
end

-- Return the comments that the page shows if the conversation is on one, by the rule of conversation.py; of other pages
-- note_shown.lua notes what they show.
local function shown_at_once()
  if page ~= '1' or last > tonumber(COMMENTS_ON_PAGE) or redis.call('HGET', article_key, 'gone') then
    return {}
  end
  local numbers, parents, levels = {}, {}, { [root] = 0 }
  for number = 1, last do
    numbers[number] = number
  end
  local nodes = redis.call('HMGET', thread_key, unpack(numbers))
  for number = 1, last do
    local parent = tonumber(string.match(nodes[number] or '', '^%d+') or '') or 0
    parents[number] = parent < number and parent or 0
    local level = levels[parents[number]]
    if level and level < tonumber(LEVELS_ON_PAGE) and number ~= root then
      levels[number] = level + 1
    end
  end
  local number = root
  for _ = 1, SHOWN_ANCESTORS do
    number = parents[number] or 0
    levels[number] = levels[number] or 0
  end
  numbers = {}
  for number = 1, last do
    if levels[number] then
      numbers[#numbers + 1] = number
    end
  end
  return numbers
end

local before, unread, shown = read_visit(stored, last)
if not before then
  if root > 0 then
    return { 'visit', '', '', tostring(time), state, votes, values }
  end
  before, unread, shown = 0, {}, {}
end
shown = goes_on == '1' and shown or {}
if #unread > 0 then
  unread = show(shown_at_once(), unread, shown, time)
end
if math.abs(time - before) < tonumber(VISIT_NOTED_SECONDS) and format_visit(last, before, unread, shown) == stored then
  return { 'visit', stored, stored, tostring(time), state, votes, values }
end
local visit = format_visit(last, time, unread, shown)
if redis.call('HEXISTS', user_key, 'left') == 0 and type(redis.pcall('HSET', seen_key, article, visit)) ~= 'table' then
  if redis.call('HLEN', seen_key) > tonumber(MAX_VISITED_THREADS) then
    local visits, oldest, oldest_time = redis.call('HGETALL', seen_key), article, time + 1
    for i = 1, #visits, 2 do
      local noted = tonumber(string.match(visits[i + 1], '^%d+ %d+ (%d+)') or '') or 0
      if noted < oldest_time then
        oldest, oldest_time = visits[i], noted
      end
    end
    redis.call('HDEL', seen_key, oldest)
  end
  redis.call('EXPIRE', seen_key, VISITED_SECONDS)
end
return { 'visit', visit, stored, tostring(time), state, votes, values }
