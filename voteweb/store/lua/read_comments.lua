-- Read comments of several conversations that anybody can read. Only reads.
-- KEYS  1 removing:
-- ARGV  1 the beginning of the keys of articles  2 of threads  3 of words  4 of hidden comments
--       5... the comments
-- Answers  for each comment that can be read a row as comment_row() in listed.lua makes it
local answer = {}
for at = 5, #ARGV do
  local id, number = string.match(ARGV[at], '^(%d+)%.(%d+)$')
  if id and can_be_read(id, number) then
    answer[#answer + 1] = comment_row(id, number)
  end
end
return answer
