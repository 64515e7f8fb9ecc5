-- Set a switch of the site, or clear it, so that the settings hold again.
-- KEYS  1 site:  then the act's, then the actor's (see acts.lua)
-- ARGV  1-3 the act's (see acts.lua)  4 switch  5 value, "" to clear it  6 words  7 the admin's name  then the actor's
-- Answers  done | same | logged-out | forbidden
local answer = begin_act()
if answer then
  return answer
end
local name, value, words, who = unpack(ARGV, 4)
check_types(1, 1, 'hash')
check_log()
local stored = redis.call('HGET', KEYS[1], name)
local is_readable, switch = pcall(cjson.decode, stored or '{}')
local is_same = is_readable and type(switch) == 'table' and switch.value == value and switch.words == words
if is_same or (value == '' and not stored) then
  return { 'same' }
end
write_when_full(KEYS[1])
if value == '' then
  redis.call('HDEL', KEYS[1], name)
else
  redis.call('HSET', KEYS[1], name, cjson.encode({ value = value, words = words, by = who, time = now() }))
end
write_log_entry(value)
return done({ 'done' })
