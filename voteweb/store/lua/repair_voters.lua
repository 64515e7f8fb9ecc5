-- Set the expiry of an article's voters to after its voting time; delete the voters of an article that is gone.
-- KEYS  1 article:<id>  2 voted:<id>
-- ARGV  1 voting seconds  2 seconds that the set of voters outlives them
-- Answers  repaired | unchanged | unrepairable (the article has no time)
local voting_seconds, grace = unpack(ARGV)
check_types(2, 2, 'set')
local expires = redis.call('PEXPIRETIME', KEYS[2])
if expires == -2 then
  return { 'unchanged' }
end
local posted, gone = unpack(redis.call('HMGET', KEYS[1], 'time', 'gone'))
if redis.call('EXISTS', KEYS[1]) == 0 or gone == 'deleted' then
  redis.call('UNLINK', KEYS[2])
  return { 'repaired' }
end
local time = tonumber(posted or '')
if not time then
  return { 'unrepairable' }
end
local closes = time + tonumber(voting_seconds)
if expires >= 1000 * (closes - 1) then
  return { 'unchanged' }
end
redis.call('EXPIREAT', KEYS[2], string.format('%d', math.ceil(closes + tonumber(grace))))
return { 'repaired' }
