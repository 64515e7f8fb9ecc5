#!lua flags=no-writes
-- Read a part of a list of comments.
-- keys: removing: {list}
-- args: first size wanted
-- helpers: listed: can_be_read comment_row
-- first is the position of the first row, from 0; wanted is "all", or "visible" for those that anybody can read.
-- Answers  <how many the list has>, then for each comment a row as comment_row() in listed.lua makes it
local answer = { redis.call('LLEN', list_key) }
for _, comment in ipairs(redis.call('LRANGE', list_key, first, first + size - 1)) do
  local id, number = string.match(comment, '^(%d+)%.(%d+)$')
  if id and (wanted == 'all' or can_be_read(id, number)) then
    answer[#answer + 1] = comment_row(id, number)
  end
end
return answer
