-- Read a part of a list of comments. Only reads.
-- KEYS  1 removing:  2 the list
-- ARGV  1 the beginning of the keys of articles  2 of threads  3 of words  4 of hidden comments
--       5 position of the first row, from 0  6 how many rows  7 "all", or "visible" for those that anybody can read
-- Answers  <how many the list has>, then for each comment a row as comment_row() in listed.lua makes it
local first, count, wanted = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
local answer = { redis.call('LLEN', KEYS[2]) }
for _, comment in ipairs(redis.call('LRANGE', KEYS[2], first, first + count - 1)) do
  local id, number = string.match(comment, '^(%d+)%.(%d+)$')
  if id and (wanted == 'all' or can_be_read(id, number)) then
    answer[#answer + 1] = comment_row(id, number)
  end
end
return answer
