-- Helpers of scripts that list comments of several conversations; they only read, and which keys they read depends on what
-- the lists hold. Data of another program, or of a wrong type, are none.
local articles, is_removing = {}, nil

-- Return what the comments of an article have in common: its title, "" if there is none, poster and status, the keys of its
-- thread and hidden comments, the highest number of a comment, and whether comments are being hidden together with one above
-- them, or shown again: until that is done, the bits of hidden comments are not to be trusted.
local function find_article(id)
  local article = articles[id]
  if not article then
    local fields = try('HMGET', prefix .. 'article:' .. id, 'title', 'poster', 'gone') or {}
    article = { title = fields[1] or '', poster = fields[2] or '', gone = fields[3] or '',
      thread_key = prefix .. 'thread:' .. id, hidden_key = prefix .. 'hidden:' .. id }
    article.last = tonumber(try('HGET', article.thread_key, 'last') or '') or 0
    if is_removing == nil then
      is_removing = redis.call('EXISTS', removing_key) == 1
    end
    article.is_in_removal = is_removing and redis.call('SISMEMBER', removing_key, id) == 1
    articles[id] = article
  end
  return article
end

-- Tell whether a comment is neither deleted nor removed, with or without one above it, as its conversation says.
local function stands(thread_key, number)
  local node = read_node(thread_key, number)
  if not node or has_state(node, 'drR') then
    return false
  end
  local _, is_covered = walk_up(thread_key, node.parent)
  return not is_covered
end

-- Tell whether anybody can read a comment now, given its article's id and its number as text. One that has a number has not
-- to be looked up: in a conversation of some hundred comments that takes five times as long as its bit.
local function can_be_read(id, number)
  local article = find_article(id)
  if article.title == '' or article.gone ~= '' or tonumber(number) > article.last then
    return false
  elseif article.is_in_removal then
    local is_safe, is_standing = pcall(stands, article.thread_key, tonumber(number))
    if not is_safe then
      refuse_elsewhere(is_standing)
    end
    return is_safe and is_standing
  end
  return try('GETBIT', article.hidden_key, number) == 0
end

-- Return a row for a list: the comment, what is stored of it, its text, the article's title and poster, and the author of the
-- comment that it answers.
local function comment_row(id, number)
  local article, words_key = find_article(id), prefix .. 'words:' .. id
  local thread_key = article.thread_key
  local stored, text = redis.call('HGET', thread_key, number), redis.call('HGET', words_key, number)
  local node = read_node(thread_key, number)
  local parent = node and node.parent > 0 and read_node(thread_key, node.parent)
  return { id .. '.' .. number, stored or '', text or '', article.title, article.poster, parent and parent.author or '' }
end

local ABOUT_COMMENTS = { reply = true, article = true, mention = true }
local ABOUT_ACTS = { removed = true, report = true, role = true, undone = true }

-- Return a set of the names of those members whom the owner of a list of hidden things hides.
local function hidden_members(hides_key)
  local names = {}
  for _, entry in ipairs(try('ZRANGE', hides_key, 0, -1) or {}) do
    local name = string.sub(entry, 1, 1) == 'm' and try('HGET', prefix .. 'user:' .. string.sub(entry, 2), 'name')
    if name then
      names[name] = true
    end
  end
  return names
end

-- Return those entries of an inbox, or of what is unread in it, that can be read and do not end yet: for
-- each a table with its text, and the article's id and the number of the comment, or the id and the text of the log entry,
-- that it is about, or the change of the account as act. Unless shows_comments is "1", those about comments are left out,
-- and with a hides_key comments by members whom the owner hides. Both the number in the header and the page of the inbox
-- are made of what this returns.
local function readable_entries(key, log_key, hides_key, shows_comments)
  local entries, hidden, oldest = {}, hides_key and hidden_members(hides_key) or {}, nil
  for _, text in ipairs(redis.call('LRANGE', key, 0, -1)) do
    oldest = oldest or redis.call('TIME')[1] - INBOX_SECONDS
    local kind, id, number, time = string.match(text, '^(%a+) (%w+)[.-](%d+) (%d+)$')
    if not kind or tonumber(time) <= oldest then
      id = nil
    elseif ABOUT_COMMENTS[kind] and shows_comments == '1' and can_be_read(id, number) then
      local node = next(hidden) and read_node(find_article(id).thread_key, number)
      if not (node and hidden[node.author]) then
        entries[#entries + 1] = { text = text, id = id, number = number }
      end
    elseif ABOUT_ACTS[kind] and id == 'log' and tonumber(number) > 0 then
      local act = redis.pcall('LINDEX', log_key, number - 1)
      if type(act) == 'string' and act ~= '' then
        entries[#entries + 1] = { text = text, log = tonumber(number), act = act }
      end
    elseif kind == 'account' then
      entries[#entries + 1] = { text = text, act = id }
    end
  end
  return entries
end
