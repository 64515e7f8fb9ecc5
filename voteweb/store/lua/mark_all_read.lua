-- Take an entry of a member's inbox, and all older ones, off what is unread in it. Newer ones stay, and with an entry that
-- the inbox has no more nothing happens.
-- KEYS  1 unread:<name>  2 inbox:<name>, then the member
-- ARGV  1 the entry, then the member
-- Answers  done | logged-out | held | forbidden
local refusal = check_actor()
if refusal then
  return refusal
end
local is_read, is_found = {}, false
for _, entry in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
  is_found = is_found or entry == ARGV[1]
  is_read[entry] = is_found
end
local unread = redis.call('LRANGE', KEYS[1], 0, -1)
for i = #unread, 1, -1 do
  if is_read[unread[i]] then
    redis.call('LREM', KEYS[1], -1, unread[i])
  end
end
return { 'done' }
