-- Take the entries about some comments off what is unread in a member's inbox.
-- KEYS  1 unread:<name>
-- ARGV  the comments ("<id>.<number>")
-- Answers  done
local is_read = {}
for i = 1, #ARGV do
  is_read[ARGV[i]] = true
end
for _, entry in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
  if is_read[string.match(entry, '^%a+ (%S+) ')] then
    redis.call('LREM', KEYS[1], 0, entry)
  end
end
return { 'done' }
