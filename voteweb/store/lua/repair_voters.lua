-- Set the expiry of an article's voters to after its voting time; delete the voters of an article that is gone.
-- KEYS  1 article:<id>  2 voted:<id>
-- ARGV  1 voting seconds of an article without an end of voting  2 seconds that the set of voters outlives voting
-- Answers  repaired | unchanged | unrepairable (the article has no time)
local voting_seconds, grace = unpack(ARGV)
check_types(2, 2, 'set')
local expires = redis.call('PEXPIRETIME', KEYS[2])
if expires == -2 then
  return { 'unchanged' }
end
local posted, stored_end, gone = unpack(redis.call('HMGET', KEYS[1], 'time', 'closes', 'gone'))
if redis.call('EXISTS', KEYS[1]) == 0 or gone == 'deleted' then
  redis.call('UNLINK', KEYS[2])
  return { 'repaired' }
end
local time = finite(posted or '')
if not time then
  return { 'unrepairable' }
end
local closes = voting_end(stored_end, time, voting_seconds)
if expires >= 1000 * (closes - 1) then
  return { 'unchanged' }
end
redis.call('EXPIREAT', KEYS[2], string.format('%d', closes + tonumber(grace)))
return { 'repaired' }
