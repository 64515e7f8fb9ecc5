-- Puts a record that never changes, a log entry or an invitation, under its number into a list that is to hold it.
-- KEYS  1 the record, a hash  2 the list, a sorted set
-- ARGV  1 the field that holds the number
-- Answers  mended | sound
local number = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '')
check(2, 2, 'zset')
if not number or tonumber(redis.call('ZSCORE', KEYS[2], KEYS[1]) or 'nan') == number then
  return { 'sound' }
end
rank(KEYS[2], number, KEYS[1])
return { 'mended' }
