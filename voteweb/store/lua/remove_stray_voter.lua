-- Take a voter who is no member out of an article's voters; a vote that was counted stays counted, as one of the base.
-- KEYS  1 article:<id>  2 voted:<id>
-- ARGV  1 the voter
-- Answers  repaired | unchanged (it is no voter)
local votes, base, gone = unpack(redis.call('HMGET', KEYS[1], 'votes', 'base', 'gone'))
votes, base = tonumber(votes or 0), tonumber(base or 0)
check_types(2, 2, 'set')
if redis.call('SISMEMBER', KEYS[2], ARGV[1]) == 0 then
  return { 'unchanged' }
end

local was_counted = votes and base and votes >= base + redis.call('SCARD', KEYS[2])
if was_counted and gone ~= 'deleted' and redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('HSET', KEYS[1], 'base', string.format('%d', base + 1))
end
redis.call('SREM', KEYS[2], ARGV[1])
return { 'repaired' }
