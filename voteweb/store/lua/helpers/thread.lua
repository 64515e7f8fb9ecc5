-- Helpers that read a comment of thread:<id>, which has for each a field of its number:
-- "<parent> <votes> <base> <time> <state> <author>". COMMENT_FIELDS in fields.py says what each part holds; parse_node() in
-- nodes.py reads the same.

-- Return the comment with this number in the thread at key, or nil if there is none that can be read.
local function read_node(key, number)
  local text = redis.call('HGET', key, number)
  local parent, votes, base, time, state, author =
    string.match(text or '', '^(%d+) (%-?%d+) (%-?%d+) ([%d.]+) (%-?%a*) (.*)$')
  return parent and { parent = tonumber(parent), votes = tonumber(votes), base = tonumber(base), time = time,
    state = state, author = author }
end

-- Tell whether a state has one of these letters.
local function has_state(node, letters)
  return string.find(node.state, '[' .. letters .. ']') ~= nil
end

-- Walk from the comment with this number up to the top level: return how many comments that are, and whether one of them was
-- removed together with its replies. A parent has a lower number than its replies; damaged data end the walk.
local function walk_up(key, number)
  local level, is_covered = 0, false
  while number > 0 do
    local node = read_node(key, number)
    level = level + 1
    if not node or node.parent >= number then
      break
    end
    is_covered = is_covered or has_state(node, 'R')
    number = node.parent
  end
  return level, is_covered
end

-- Voters of up to VOTER_BLOCK comments share one set; a voter of a comment is number * VOTER_FACTOR + member id.
local VOTER_FACTOR = 4294967296

-- Store a comment, and give the thread another revision: the unix time in microseconds, or one more than before. So no two
-- states of a thread ever share a revision, not even after a restore, or on a replica that took over without the last writes.
local function write_node(key, number, node)
  local time, before = string.gsub(now(), '%.', ''), redis.call('HGET', key, 'rev')
  redis.call('HSET', key, number, string.format(
    '%d %d %d %s %s %s', node.parent, node.votes, node.base, node.time, node.state, node.author),
    'rev', string.format('%.0f', math.max(tonumber(time), (finite(before) or 0) + 1)))
end

-- Return the answer of a script about a comment that cannot be read, or whose article cannot; else nil, the comment, and the
-- time of the article. The number 0 stands for the article itself.
local function missing_comment(article_key, thread_key, number)
  local title, posted, gone = unpack(redis.call('HMGET', article_key, 'title', 'time', 'gone'))
  if not title or not finite(posted) then
    return { 'unknown' }
  elseif gone then
    return { 'gone' }
  elseif number == 0 then
    return nil, nil, posted
  end
  local node = read_node(thread_key, number)
  if not node then
    return { 'comment-unknown' }
  end
  local _, is_covered = walk_up(thread_key, node.parent < number and node.parent or 0)
  if is_covered or has_state(node, 'drR') then
    return { 'comment-gone' }
  end
  return nil, node, posted
end

-- The unix time at which a conversation ends: as stored with its first comment.
local function conversation_end(closes, posted, commenting_seconds)
  return voting_end(closes, finite(posted), 'commenting-seconds', commenting_seconds)
end

-- Return the answer of a script that writes or votes in a conversation which a moderator closed, or whose time is over; else
-- nil and the unix time at which it ends.
local function check_open(key, posted, commenting_seconds)
  local ends, closed, reason = unpack(redis.call('HMGET', key, 'closes', 'closed', 'close-reason'))
  local closes = conversation_end(ends, posted, commenting_seconds)
  if closed then
    return { 'closed', closed, reason or '' }
  elseif tonumber(now()) >= closes then
    return { 'ended', exact(closes) }
  end
  return nil, closes
end

-- Return the answer of a script that adds a reply to a comment which nobody can read, or on the highest level; else nil and
-- the comment. A comment on the article itself answers none: 0.
local function check_answered(key, number)
  if number == 0 then
    return nil
  end
  local node = read_node(key, number)
  if not node then
    return { 'comment-unknown' }
  end
  local level, is_covered = walk_up(key, number)
  if is_covered or has_state(node, 'drR') then
    return { 'parent-gone' }
  elseif level >= tonumber(MAX_COMMENT_LEVEL) then
    return { 'too-deep' }
  end
  return nil, node
end

-- Tell whether a comment, nil for none, is an answer of somebody else to an author: it answers a comment of theirs, or stands
-- below the article of which they are the poster.
local function answers(key, node, author, poster)
  if not node or node.author == author then
    return false
  end
  local parent = read_node(key, node.parent)
  return poster == author or (parent and parent.author == author)
end

-- The number of the next comment of a thread: one above the last, and above any that the field does not know.
local function next_number(key, last)
  local number = (tonumber(string.match(last or '', '^%d+$') or '') or 0) + 1
  while redis.call('HEXISTS', key, number) == 1 do
    number = number + 1
  end
  return number
end

-- Tell whether a comment that is about to be written is the first of those whose voters share a set. Numbers may be
-- missing: the field "last" may have been damaged, or written by another server.
local function is_first_of_voters(key, number)
  for before = number - 1, math.max(number - number % VOTER_BLOCK, 1), -1 do
    if redis.call('HEXISTS', key, before) == 1 then
      return false
    end
  end
  return true
end

-- Store a new comment of a conversation that ends at closes. Of an imported one to which nobody can vote any more the voters
-- are not needed. A set without 0 has lost voters: only the first comment of a block makes it, so that nobody votes twice.
local function store_comment(number, node, text, closes, is_open)
  redis.call('HSET', thread_key, 'last', number, 'closes', string.format('%d', closes))
  write_node(thread_key, number, node)
  redis.call('HSET', words_key, number, text)
  if is_open and is_first_of_voters(thread_key, number) then
    redis.call('SADD', voted_comments_key, 0)
    redis.call('EXPIREAT', voted_comments_key, string.format('%d', closes + VOTERS_GRACE_SECONDS))
  end
  if redis.call('GETBIT', hidden_key, number) == 1 then -- of a comment with this number that was lost
    redis.call('SETBIT', hidden_key, number, 0)
  end
  redis.pcall('HINCRBY', article_key, 'comments', 1) -- a value that is no number is left to the doctor
  record_change(changes_key, 'c', article .. '.' .. number)
end

-- Put an entry, "<kind> <what> <unix time>", on top of the inbox of a member and of what is unread in it. Nobody is told who
-- has left, or is no member. That the inbox has none about the same is left to the caller: nothing new has any.
local function notify(user_key, inbox_key, unread_key, kind, what)
  local id, left = unpack(redis.call('HMGET', user_key, 'id', 'left'))
  if not id or left then
    return
  end
  local entry = string.format('%s %s %d', kind, what, math.floor(tonumber(now())))
  redis.call('LPUSH', inbox_key, entry)
  redis.call('LPUSH', unread_key, entry)
  while redis.call('LLEN', inbox_key) > tonumber(INBOX_SIZE) do
    redis.call('LREM', unread_key, 0, redis.call('RPOP', inbox_key))
  end
  redis.call('EXPIRE', inbox_key, INBOX_SECONDS)
  redis.call('EXPIRE', unread_key, INBOX_SECONDS)
end

-- Choose why a member is told of a comment, of the reasons that apply ("reply", "article", "mention", with blanks between
-- them), the first of those that the member has not silenced; nil for none. One who wants no notice of replies to a comment
-- gets none because it stands below their own article, either.
local function notice_kind(reasons, is_reply_quiet, is_article_quiet)
  local is_reply = string.find(reasons, 'reply', 1, true)
  if is_reply and not is_reply_quiet then
    return 'reply'
  elseif not is_reply and not is_article_quiet and string.find(reasons, 'article', 1, true) then
    return 'article'
  end
  return string.find(reasons, 'mention', 1, true) and 'mention' or nil
end
