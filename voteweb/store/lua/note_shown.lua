-- Note that a page has shown a member these comments of a conversation where the member was before.
-- keys: seen:{name} thread:{article}
-- args: article numbers*
-- The numbers ascend; nothing changes for those that a page has shown before.
-- Answers  noted | nothing
local last = tonumber(redis.call('HGET', thread_key, 'last') or '') or 0
local before, unread, shown = read_visit(redis.call('HGET', seen_key, article), last)
if not before then
  return { 'nothing' }
end
for i, number in ipairs(numbers) do
  numbers[i] = tonumber(number)
end
unread = show(numbers, unread, shown, tonumber(redis.call('TIME')[1]))
redis.pcall('HSET', seen_key, article, format_visit(last, before, unread, shown)) -- see note_visit.lua
return { 'noted' }
