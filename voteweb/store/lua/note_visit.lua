-- Note that a member sees the conversation of an article as it is now, and read the article. A server whose memory is full
-- does not stop the page: it notes nothing.
-- keys: seen:{name} thread:{article} article:{article} words:{article} voted-comments:{article}-{block}
-- args: article fields*
-- The block of voters is 0, those of the first 511 comments; the first of the article's fields is its title.
-- Answers  visit <base> <seen> <time> <state of the conversation and of its words> <number of votes> <the values of the fields> | unknown
-- The state is that of read_thread.lua, and then the number of words. The votes are members of the last key. Each vote for a
-- comment, and each that is taken back, writes a new revision of the conversation: while the state is the same, so are the
-- votes. Their number tells of a key that has expired or was deleted.
-- What is stored is "<base> <seen> <time>", and after another blank the member's own comments since then, with commas.
local values = redis.call('HMGET', article_key, unpack(fields))
if not values[1] then
  return { 'unknown' }
end
local last, revision = unpack(redis.call('HMGET', thread_key, 'last', 'rev'))
local state = (revision or '0') .. ' ' .. redis.call('HLEN', thread_key) .. ' ' .. redis.call('HLEN', words_key)
local votes = redis.call('SCARD', voted_comments_key)
last = tonumber(string.match(last or '', '^%d+$') or '') or 0
local time = tonumber(redis.call('TIME')[1])
local base, seen, before = string.match(redis.call('HGET', seen_key, article) or '', '^(%d+) (%d+) (%d+)')
if not base then
  base = last
elseif time - before > tonumber(VISIT_SECONDS) then
  base = seen
elseif tonumber(seen) == last and math.abs(time - before) < tonumber(VISIT_NOTED_SECONDS) then
  -- To note it costs as much as the rest, and the page after a vote for a comment is one of these.
  return { 'visit', base, seen, tostring(time), state, votes, values }
end
local visit = string.format('%d %d %d', base, last, time)
if type(redis.pcall('HSET', seen_key, article, visit)) ~= 'table' then
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
return { 'visit', tostring(base), tostring(last), tostring(time), state, votes, values }
