#!lua flags=no-writes
-- Read a conversation as far as the caller does not know it, and all that a page of a short one shows.
-- keys: thread:{article} words:{article} voted-comments:{article}-{block}
-- args: article known known_words viewer_id visitor short_comments sent_comments
-- helpers: common: try; thread: VOTER_FACTOR
-- The block of voters is 0, those of the first 511 comments. known is the state that the caller knows, "*" if it reads the
-- conversation by another command; known_words that and the number of the words, "" for none. viewer_id is 0 for none, or if
-- the caller reads the votes by another command: that takes a tenth of the time. A conversation is short up to
-- short_comments, and this script sends it up to sent_comments: the server takes three times as long as without. It sends a
-- longer one to the visitor, "" for none, who has not seen all of it: which of that a page shows, and the site notes with
-- the next read, follows from the whole.
-- Answers  <state> <fields and values of the conversation, nil if known, too long or read otherwise>
--          <fields and values of its words, nil if known> <for each comment 1 if the viewer has voted for it>; the last two
--          are nil for a long one
-- The state is "<revision> <number of fields>": a restore sets the revision before it adds the comments.
local revision, last = unpack(redis.call('HMGET', thread_key, 'rev', 'last'))
local state = (revision or '0') .. ' ' .. redis.call('HLEN', thread_key)
last = tonumber(last or '') or 0
local thread, words, voted = false, false, false

local function has_unread()
  local visit = visitor ~= '' and try('HGET', prefix .. 'seen:' .. visitor, article) or ''
  return string.find(visit, ' %d+%-%d+%f[ %z]') ~= nil -- see visits.lua
end

if known ~= '*' and known ~= state and (last <= tonumber(sent_comments) or has_unread()) then
  thread = redis.call('HGETALL', thread_key)
end
if last <= tonumber(short_comments) then
  if known_words ~= state .. ' ' .. redis.call('HLEN', words_key) then
    words = redis.call('HGETALL', words_key)
  end
  voted = {}
  local voters = {}
  for number = 1, viewer_id == '0' and 0 or last do
    voters[number] = string.format('%.0f', number * VOTER_FACTOR + viewer_id)
  end
  if #voters > 0 then
    local answer = redis.pcall('SMISMEMBER', voted_comments_key, unpack(voters))
    voted = answer.err and {} or answer
  end
end
return { state, thread, words, voted }
