-- Makes a member under an id that the caller took before.
-- KEYS  1 user:<name>
-- ARGV  1 id  2 name  3 password hash, or empty  4 role  5 session word
-- Answers  made | taken <id>
local id = redis.call('HGET', KEYS[1], 'id')
if id then
  return { 'taken', id }
end
redis.call('HSET', KEYS[1], 'id', ARGV[1], 'name', ARGV[2], 'password', ARGV[3], 'role', ARGV[4], 'since', now(),
  'session', ARGV[5])
return { 'made', ARGV[1] }
