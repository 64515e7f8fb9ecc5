-- Create a group, or change the title and description of one that exists.
-- KEYS  1 groups:  2 group-info:<name>  then the act's, then the actor's
-- ARGV  1-3 the act's (see common.lua)  4 "make" or "change"  5 name  6 title  7 description  then the actor's
-- Answers  done | exists | unknown | logged-out | forbidden
local refusal = check_actor()
local before = answer_before()
if before or refusal then
  return before or refusal
end
local action, name, title, description = unpack(ARGV, 4)
check_types(1, 1, 'set')
check_types(2, 2, 'hash')
check_log()
local exists = redis.call('SISMEMBER', KEYS[1], name) == 1
if action == 'make' and exists then
  return { 'exists' }
elseif action == 'change' and not exists then
  return { 'unknown' }
end
local title_before, description_before = unpack(redis.call('HMGET', KEYS[2], 'title', 'description'))
redis.call('SADD', KEYS[1], name)
redis.call('HSET', KEYS[2], 'title', title, 'description', description)
if not exists or title_before ~= title or description_before ~= description then
  write_log_entry()
end
return done({ 'done' })
