-- Note that a page has shown a member these comments of a conversation where the member was before.
-- keys: seen:{name} thread:{article}
-- args: article numbers
-- helpers: visits: format_visit read_visit show
-- The numbers ascend, with spaces between them: Lua takes no more than some 8,000 arguments. Nothing changes for those
-- that a page has shown before.
-- Answers  noted | nothing
local last = tonumber(redis.call('HGET', thread_key, 'last') or '') or 0
local before, unread, shown = read_visit(redis.call('HGET', seen_key, article), last)
if not before then
  return { 'nothing' }
end
local ascending = {}
for number in string.gmatch(numbers, '%d+') do
  ascending[#ascending + 1] = tonumber(number)
end
unread = show(ascending, unread, shown, tonumber(redis.call('TIME')[1]))
redis.pcall('HSET', seen_key, article, format_visit(last, before, unread, shown)) -- see note_visit.lua
return { 'noted' }
