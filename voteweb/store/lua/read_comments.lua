#!lua flags=no-writes
-- Read comments of several conversations that anybody can read.
-- keys: removing:
-- args: comments*
-- helpers: listed: can_be_read comment_row
-- Answers  for each comment that can be read a row as comment_row() in listed.lua makes it
local answer = {}
for _, comment in ipairs(comments) do
  local id, number = string.match(comment, '^(%d+)%.(%d+)$')
  if id and can_be_read(id, number) then
    answer[#answer + 1] = comment_row(id, number)
  end
end
return answer
