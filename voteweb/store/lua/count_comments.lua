#!lua flags=no-writes
-- Count the comments of a member without those of the newest so many that nobody can read.
-- keys: commented:{name}
-- args: newest
-- helpers: common: try
-- Answers  <number of comments>
local count = redis.call('LLEN', commented_key)
for _, comment in ipairs(redis.call('LRANGE', commented_key, 0, newest - 1)) do
  local id, number = string.match(comment, '^(%d+)%.(%d+)$')
  count = count - (id and try('GETBIT', prefix .. 'hidden:' .. id, number) or 0)
end
return count
