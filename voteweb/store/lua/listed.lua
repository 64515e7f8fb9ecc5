-- Helpers put in front of every script that lists comments of several conversations, after those of node.lua; they only
-- read. Such scripts have the set removing: as KEYS[1], and begin ARGV with the beginnings of the keys of articles, threads,
-- words and hidden comments: which ones are read depends on what the lists hold.
local ARTICLES, THREADS, WORDS, HIDDEN = unpack(ARGV, 1, 4)
local articles, is_removing = {}, nil

-- Return title, poster and status of an article, each false if there is none.
local function read_article(id)
  if not articles[id] then
    local key = ARTICLES .. id
    articles[id] = redis.call('HMGET', key, 'title', 'poster', 'gone')
  end
  return unpack(articles[id])
end

-- Tell whether comments of an article are being hidden together with one above them, or shown again: until that is done, their
-- bits are not to be trusted.
local function is_in_removal(id)
  if is_removing == nil then
    is_removing = redis.call('EXISTS', KEYS[1]) == 1
  end
  return is_removing and redis.call('SISMEMBER', KEYS[1], id) == 1
end

-- Tell whether anybody can read a comment now.
local function can_be_read(id, number)
  local title, _, gone = read_article(id)
  local key, hidden_key = THREADS .. id, HIDDEN .. id
  local node = title and (gone or '') == '' and read_node(key, number)
  if not node or has_state(node, 'drR') then
    return false
  elseif is_in_removal(id) then
    local _, is_covered = walk_up(key, node.parent)
    return not is_covered
  end
  return redis.call('GETBIT', hidden_key, number) == 0
end

-- Return the article's id and the number of a comment ("<id>.<number>") that anybody can read, else nil: data of another
-- program, or of a wrong type, are none.
local function find_visible(what)
  local id, number = string.match(what, '^(%d+)%.(%d+)$')
  if id then
    local is_safe, is_visible = pcall(can_be_read, id, tonumber(number))
    if is_safe and is_visible then
      return id, tonumber(number)
    end
  end
end

-- Return a row for a list: the comment, what is stored of it, its text, the article's title and poster, and the author of the
-- comment that it answers.
local function comment_row(id, number)
  local key, words_key = THREADS .. id, WORDS .. id
  local node, title, poster = read_node(key, number), read_article(id)
  local parent = node and node.parent > 0 and read_node(key, node.parent)
  return { string.format('%s.%d', id, number), redis.call('HGET', key, number) or '', redis.call('HGET', words_key, number)
    or '', title or '', poster or '', parent and parent.author or '' }
end

local ABOUT_COMMENTS = { reply = true, article = true, mention = true }
local ABOUT_ACTS = { removed = true, report = true }

-- Return those entries of an inbox, or of what is unread in it, that can be read and are younger than so many seconds: for
-- each a table with its text, its kind, and the article's id and the number of the comment or the id of the log entry that it
-- is about. Both the number in the header and the page of the inbox are made of what this returns.
local function readable_entries(key, log_key, seconds)
  local entries, oldest = {}, tonumber(redis.call('TIME')[1]) - tonumber(seconds)
  for _, text in ipairs(redis.call('LRANGE', key, 0, -1)) do
    local kind, what, time = string.match(text, '^(%a+) (%S+) (%d+)$')
    if kind and tonumber(time) > oldest then
      local log = ABOUT_ACTS[kind] and tonumber(string.match(what, '^log%-(%d+)$') or '')
      local act, id, number = log and redis.call('LINDEX', log_key, log - 1), nil, nil
      if ABOUT_COMMENTS[kind] then
        id, number = find_visible(what)
      end
      if id or (act or '') ~= '' then
        entries[#entries + 1] = { text = text, id = id, number = number, log = log, act = act }
      end
    end
  end
  return entries
end
