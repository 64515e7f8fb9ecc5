-- Put an entry into a list that a member keeps for themselves, or take it out.
-- KEYS  1 follows:<name>, hides:<name> or saved:<name>  2 user:<name>  3 the key of what the entry stands for, or of the
--       set that must hold its name  then the act's, then the actor's
-- ARGV  1-3 the act's (see acts.lua)  4 "add" or "remove"  5 the entry  6 how many entries the list holds at most
--       7 the type of KEYS[3]  8 the name that it must hold if it is a set; any other must exist  9 how an entry begins
--       that is taken out, the oldest first, when the list is full; empty if none is  then the actor's
-- Answers  done (by this call or before) | unknown (it stands for nothing, or is not listed) | full | logged-out
--          | held | forbidden
local answer = begin_act()
if answer then
  return answer
end
local action, entry, most, kind, name, replaceable = unpack(ARGV, 4)
check_types(1, 1, 'zset')
check_types(3, 3, kind)
if action == 'remove' then
  write_when_full(KEYS[2])
  if redis.call('ZREM', KEYS[1], entry) == 1 then
    redis.call('HSET', KEYS[2], 'my', now())
  end
  return done({ 'done' })
end
if redis.call('ZSCORE', KEYS[1], entry) then
  return { 'done' }
end
-- An article that is not listed stands for nothing: the list would tell its title and link.
local exists = redis.call('EXISTS', KEYS[3]) == 1
  and not (kind == 'hash' and redis.call('HEXISTS', KEYS[3], 'gone') == 1)
if not exists or kind == 'set' and redis.call('SISMEMBER', KEYS[3], name) == 0 then
  return { 'unknown' }
end
local given_up
if redis.call('ZCARD', KEYS[1]) >= tonumber(most) then
  for _, kept in ipairs(replaceable ~= '' and redis.call('ZRANGE', KEYS[1], 0, -1) or {}) do
    if string.sub(kept, 1, #replaceable) == replaceable then
      given_up = kept
      break
    end
  end
  if not given_up then
    return { 'full' }
  end
end
local time = now()
rank(KEYS[1], tonumber(time), entry)
if given_up then
  redis.call('ZREM', KEYS[1], given_up)
end
redis.call('HSET', KEYS[2], 'my', time)
return done({ 'done' })
