-- Move an act of the log from a hash of its own to its place among the entries, and index it.
-- KEYS  1 log-entry:<id>  2 log-entries:  then the lists of ids that index it
-- ARGV  1 id  2 the entry as stored
-- Answers  moved | unchanged (it was moved before) | again (entries before it are missing)
local id, text = unpack(ARGV)
check_types(1, 1, 'hash')
check_types(2, #KEYS, 'list')
if redis.call('EXISTS', KEYS[1]) == 0 then
  return { 'unchanged' }
elseif redis.call('LLEN', KEYS[2]) ~= id - 1 then
  return { 'again' }
end
redis.call('RPUSH', KEYS[2], text)
for i = 3, #KEYS do
  redis.call('RPUSH', KEYS[i], id)
end
redis.call('DEL', KEYS[1])
return { 'moved' }
