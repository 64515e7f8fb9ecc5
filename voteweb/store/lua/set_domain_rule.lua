-- Make or change the rule of a domain.
-- KEYS  1 domain-rules:  then the act's, then the actor's (see acts.lua)
-- ARGV  1-3 the act's (see acts.lua)  4 domain  5 "refuse" or "hold"  6 the words that say why  7 the moderator's name
--       8 rules that there may be  then the actor's
-- Answers  done | same | full | logged-out | forbidden
local answer = begin_act()
if answer then
  return answer
end
local domain, action, why, who, most = unpack(ARGV, 4)
check_types(1, 1, 'hash')
check_log()
local stored = redis.call('HGET', KEYS[1], domain)
local is_readable, rule = pcall(cjson.decode, stored or '{}')
if stored and is_readable and type(rule) == 'table' and rule.action == action and rule.why == why then
  return { 'same' }
elseif not stored and redis.call('HLEN', KEYS[1]) >= tonumber(most) then
  return { 'full' }
end
redis.call('HSET', KEYS[1], domain, cjson.encode({ action = action, why = why, by = who, time = now() }))
write_log_entry(action)
return done({ 'done' })
