-- Count the unread entries in a member's inbox that can be read. Only reads.
-- KEYS  1 removing:  2 unread:<name>  3 log-entries:
-- ARGV  1 the beginning of the keys of articles  2 of threads  3 of words  4 of hidden comments
--       5 seconds for which an inbox holds an entry  6 1 if the site has comments
-- Answers  <number of entries> <those about comments> | nothing, if there is no such list
if redis.call('EXISTS', KEYS[2]) == 0 then
  return {}
end
-- The helpers stand here.
local entries = readable_entries(KEYS[2], KEYS[3], ARGV[5], ARGV[6])
local answer = { #entries }
for _, entry in ipairs(entries) do
  if entry.id then
    answer[#answer + 1] = entry.text
  end
end
return answer
