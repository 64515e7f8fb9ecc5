-- Record that all is removed with a ban, or restored, unless somebody has decided otherwise meanwhile.
-- KEYS  1 user:<name>  2 ban-removals:
-- ARGV  1 name in lower case  2 the field ban-removal as the caller knows it, "" for none
-- Answers  done | again (the field is another by now)
local name, known = unpack(ARGV)
local removal = redis.call('HGET', KEYS[1], 'ban-removal') or ''
check_types(2, 2, 'set')
if removal ~= known then
  return { 'again' }
end
local state = string.match(removal, '^%d+ (%a+) ')
if state == 'removing' then
  redis.call('HSET', KEYS[1], 'ban-removal', (string.gsub(removal, ' removing ', ' removed ', 1)))
elseif state == 'restoring' then
  redis.call('HDEL', KEYS[1], 'ban-removal')
end
redis.call('SREM', KEYS[2], name)
return { 'done' }
