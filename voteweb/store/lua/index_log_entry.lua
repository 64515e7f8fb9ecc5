-- Put a hash that never changes, a log entry or an invitation, into a ranking that must hold it.
-- KEYS  1 the hash  2 the ranking
-- ARGV  1 the member of the ranking that stands for the hash  2 the field that holds its number in the ranking
-- Answers  repaired | unchanged
local member, field = unpack(ARGV)
local number = finite(redis.call('HGET', KEYS[1], field) or '')
check_types(2, 2, 'zset')
if not number or tonumber(redis.call('ZSCORE', KEYS[2], member) or 'nan') == number then
  return { 'unchanged' }
end
rank(KEYS[2], number, member)
return { 'repaired' }
