-- Lets the voters of an article live until an hour after its voting time; drops those of one that is no more.
-- KEYS  1 article:<id>  2 voted:<id>
-- ARGV  1 voting seconds  2 seconds the voters outlive them
-- Answers  mended | sound | hopeless (the article has no time)
check(2, 2, 'set')
local ends = redis.call('PEXPIRETIME', KEYS[2])
if ends == -2 then
  return { 'sound' }
end
local posted, gone = unpack(redis.call('HMGET', KEYS[1], 'time', 'gone'))
if redis.call('EXISTS', KEYS[1]) == 0 or gone == 'deleted' then
  redis.call('UNLINK', KEYS[2])
  return { 'mended' }
end
local time = tonumber(posted or '')
if not time then
  return { 'hopeless' }
end
local closing = time + tonumber(ARGV[1])
if ends >= 1000 * (closing - 1) then
  return { 'sound' }
end
redis.call('EXPIREAT', KEYS[2], string.format('%d', math.ceil(closing + tonumber(ARGV[2]))))
return { 'mended' }
