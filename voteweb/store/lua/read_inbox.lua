#!lua flags=no-writes
-- Read a page of a member's inbox, newest first.
-- keys: removing: unread:{name} log-entries: inbox:{name} hides:{name}
-- args: shows_comments first size with_hidden only_unread viewer after
-- helpers: common: finite now try; listed: comment_row find_article readable_entries; thread: VOTER_FACTOR has_state
--          read_node
-- shows_comments is 1 if the site has comments; first is the position of the first row, from 0; size how many rows;
-- unless with_hidden is 1, comments by members whom the owner hides are left out; if only_unread is 1, what has been read;
-- viewer is the id of the member whose votes are read, 0 for none; entries down to the one after are left out, unless it
-- is empty.
-- Answers  <number of entries> <of those whether read or not>, then for each row the entry, 1 if it is unread, the id of the
--          log entry that it is about, 0 for none, and that entry, or the change of the account; or the row of the comment
--          as comment_row() in listed.lua makes it, and as 1 or 0: is its conversation open, has the viewer voted for it, do
--          they want no notices of this kind below the same post
local readable, unread = readable_entries(inbox_key, log_entries_key, with_hidden ~= '1' and hides_key, shows_comments), {}
for _, text in ipairs(redis.call('LRANGE', unread_key, 0, -1)) do
  unread[text] = 1
end
local before = {}
for _, text in ipairs(after == '' and {} or redis.call('LRANGE', inbox_key, 0, -1)) do
  before[text] = true
  if text == after then
    break
  end
end
local entries = {}
for _, entry in ipairs(readable) do
  if not before[entry.text] and (only_unread ~= '1' or unread[entry.text]) then
    entries[#entries + 1] = entry
  end
end

local function append_state(row, kind, id, number)
  local thread_key = find_article(id).thread_key
  local closes, closed, quiet = unpack(redis.call('HMGET', thread_key, 'closes', 'closed', 'quiet'))
  local voted_key = prefix .. 'voted-comments:' .. id .. '-' .. math.floor(number / VOTER_BLOCK)
  local is_quiet = kind == 'article' and quiet
  if kind == 'reply' then
    local node = read_node(thread_key, number)
    local parent = node and read_node(thread_key, node.parent)
    is_quiet = parent and has_state(parent, 'q')
  end
  row[#row + 1] = not closed and tonumber(now()) < (finite(closes) or 0) and 1 or 0
  row[#row + 1] = try('SISMEMBER', voted_key, string.format('%.0f', number * VOTER_FACTOR + viewer)) or 0
  row[#row + 1] = is_quiet and 1 or 0
end

local answer = { #entries, #readable }
for i = first + 1, math.min(first + size, #entries) do
  local entry = entries[i]
  local about = entry.id and comment_row(entry.id, entry.number) or entry.act
  local row = { entry.text, unread[entry.text] or 0, entry.log or 0, about }
  if entry.id then
    append_state(row, string.match(entry.text, '^%a+'), entry.id, tonumber(entry.number))
  end
  answer[#answer + 1] = row
end
return answer
