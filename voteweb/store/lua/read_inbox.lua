-- Read a page of a member's inbox, newest first. Only reads.
-- KEYS  1 removing:  2 unread:<name>  3 log-entries:  4 inbox:<name>
-- ARGV  1 the beginning of the keys of articles  2 of threads  3 of words  4 of hidden comments
--       5 seconds for which an inbox holds an entry  6 1 if the site has comments  7 position of the first row, from 0
--       8 how many rows
-- Answers  <number of entries that can be read>, then for each row the entry, 1 if it is unread, the id of the log entry that
--          it is about, 0 for none, and that entry, or the row of the comment as comment_row() in listed.lua makes it
local entries, unread = readable_entries(KEYS[4], KEYS[3], ARGV[5], ARGV[6]), {}
for _, text in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
  unread[text] = 1
end
local answer = { #entries }
for i = ARGV[7] + 1, math.min(ARGV[7] + ARGV[8], #entries) do
  local entry = entries[i]
  local about = entry.id and comment_row(entry.id, entry.number) or entry.act
  answer[#answer + 1] = { entry.text, unread[entry.text] or 0, entry.log or 0, about }
end
return answer
