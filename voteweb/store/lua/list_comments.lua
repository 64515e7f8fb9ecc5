-- Read a part of a list of comments, or comments that are named. Only reads.
-- KEYS  1 removing:  2 the list, if there is one
-- ARGV  1 the beginning of the keys of articles  2 of threads  3 of words  4 of hidden comments
--       5 position of the first row, from 0  6 how many rows  7 "all", or "visible" for those that anybody can read
--       then the comments ("<id>.<number>") if there is no list
-- Answers  <how many the list has>, then for each comment a row as comment_row() in listed.lua makes it
local first, count, wanted = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
local answer, comments = { 0 }, {}
if KEYS[2] then
  answer[1] = redis.call('LLEN', KEYS[2])
  comments = redis.call('LRANGE', KEYS[2], first, first + count - 1)
else
  for i = 8, #ARGV do
    comments[#comments + 1] = ARGV[i]
  end
end
for _, comment in ipairs(comments) do
  local id, number = string.match(comment, '^(%d+)%.(%d+)$')
  if id and (wanted == 'all' or can_be_read(id, number)) then
    answer[#answer + 1] = comment_row(id, number)
  end
end
return answer
