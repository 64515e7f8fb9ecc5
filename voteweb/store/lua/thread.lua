-- Helpers put in front of every script that changes a conversation, after those of common.lua and node.lua.

-- Voters of up to VOTER_BLOCK comments share one set; a voter of a comment is number * VOTER_FACTOR + member id.
local VOTER_BLOCK, VOTER_FACTOR = 512, 4294967296

-- Give the thread another revision: the unix time in microseconds, or one more than before. So no two states of a thread
-- ever share a revision, not even after a restore, or on a replica that took over without the last writes.
local function next_thread_revision(key)
  local time, before = string.gsub(now(), '%.', ''), redis.call('HGET', key, 'rev')
  redis.call('HSET', key, 'rev', string.format('%.0f', math.max(tonumber(time), (finite(before) or 0) + 1)))
end

-- Store a comment, and give the thread another revision.
local function write_node(key, number, node)
  redis.call('HSET', key, number, string.format('%d %d %d %s %s %s', node.parent, node.votes, node.base, node.time,
    node.state, node.author))
  next_thread_revision(key)
end

-- Put a letter into the state of a comment, or take it out.
local function set_state(node, letter, is_set)
  local state = string.gsub(node.state, '[-' .. letter .. ']', '') .. (is_set and letter or '')
  node.state = state == '' and '-' or state
end

-- Note whether anybody can read a comment, in its bit and in the number of comments of its article. Done again, it changes
-- nothing. Returns whether it changed anything.
local function set_hidden(hidden_key, article_key, number, is_hidden)
  local bit = is_hidden and 1 or 0
  if redis.call('SETBIT', hidden_key, number, bit) == bit then
    return false
  end
  redis.call('HINCRBY', article_key, 'comments', is_hidden and -1 or 1)
  return true
end

-- The unix time at which a conversation ends: as stored with its first comment.
local function conversation_end(closes, posted, commenting_seconds)
  return voting_end(closes, finite(posted), commenting_seconds)
end

-- Put an entry, "<kind> <what> <unix time>", on top of the inbox of a member and of what is unread in it, unless the inbox
-- has one about the same already. Nobody is told who has left, or is no member. An inbox holds size entries for so many
-- seconds.
local function notify(user_key, inbox_key, unread_key, kind, what, size, seconds)
  local id, left = unpack(redis.call('HMGET', user_key, 'id', 'left'))
  if not id or left then
    return
  end
  for _, entry in ipairs(redis.call('LRANGE', inbox_key, 0, -1)) do
    if string.match(entry, '^%a+ (%S+) ') == what then
      return
    end
  end
  local entry = string.format('%s %s %d', kind, what, math.floor(tonumber(now())))
  redis.call('LPUSH', inbox_key, entry)
  redis.call('LPUSH', unread_key, entry)
  while redis.call('LLEN', inbox_key) > tonumber(size) do
    redis.call('LREM', unread_key, 0, redis.call('RPOP', inbox_key))
  end
  redis.call('EXPIRE', inbox_key, seconds)
  redis.call('EXPIRE', unread_key, seconds)
end
