-- Read a page of a member's inbox, newest first. Only reads.
-- keys: removing: unread:{name} log-entries: inbox:{name} hides:{name}
-- args: shows_comments first size with_hidden
-- shows_comments is 1 if the site has comments; first is the position of the first row, from 0; size how many rows;
-- unless with_hidden is 1, comments by members whom the owner hides are left out.
-- Answers  <number of entries that can be read>, then for each row the entry, 1 if it is unread, the id of the log entry that
--          it is about, 0 for none, and that entry, or the row of the comment as comment_row() in listed.lua makes it
local entries, unread = readable_entries(inbox_key, log_entries_key, with_hidden ~= '1' and hides_key, shows_comments), {}
for _, text in ipairs(redis.call('LRANGE', unread_key, 0, -1)) do
  unread[text] = 1
end
local answer = { #entries }
for i = first + 1, math.min(first + size, #entries) do
  local entry = entries[i]
  local about = entry.id and comment_row(entry.id, entry.number) or entry.act
  answer[#answer + 1] = { entry.text, unread[entry.text] or 0, entry.log or 0, about }
end
return answer
