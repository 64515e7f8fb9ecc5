-- Makes an unused invitation useless.
-- KEYS  1 invite:<token>
-- ARGV  1 name of the member who made it, or empty for a moderator
-- Answers  revoked | unknown | used
local by, used = unpack(redis.call('HMGET', KEYS[1], 'by', 'used'))
if not by or (ARGV[1] ~= '' and string.lower(by) ~= string.lower(ARGV[1])) then
  return { 'unknown' }
elseif used then
  return { 'used' }
end
redis.call('HSET', KEYS[1], 'revoked', '1')
return { 'revoked' }
