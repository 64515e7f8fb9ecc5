-- Create a group, or change the title, the description and the alias of one that exists.
-- KEYS  1 groups:  2 group-info:<name>  3 group-aliases:  then the act's, then the actor's
-- ARGV  1-3 the act's (see acts.lua)  4 "make" or "change"  5 name  6 title  7 description
--       8 whether its alias changes (0 or 1)  9 the alias, empty for none  then the actor's
-- Answers  done | exists (also as the alias of a group) | unknown | alias-taken | logged-out | forbidden
local answer = begin_act()
if answer then
  return answer
end
local action, name, title, description, has_alias, alias = unpack(ARGV, 4)
check_types(1, 1, 'set')
check_types(2, 3, 'hash')
check_log()
local exists = redis.call('SISMEMBER', KEYS[1], name) == 1
if action == 'make' and (exists or redis.call('HEXISTS', KEYS[3], name) == 1) then
  return { 'exists' }
elseif action == 'change' and not exists then
  return { 'unknown' }
end
local holder = alias ~= '' and redis.call('HGET', KEYS[3], alias)
if alias ~= '' and (redis.call('SISMEMBER', KEYS[1], alias) == 1 or holder and holder ~= name) then
  return { 'alias-taken' }
end
local title_before, description_before = unpack(redis.call('HMGET', KEYS[2], 'title', 'description'))
redis.call('SADD', KEYS[1], name)
redis.call('HSET', KEYS[2], 'title', title, 'description', description)
local has_changed = not exists or title_before ~= title or description_before ~= description
if has_alias == '1' then
  -- A group has one alias at most, so that there are no more of these than groups.
  local aliases = redis.call('HGETALL', KEYS[3])
  for i = 1, #aliases, 2 do
    if aliases[i + 1] == name and aliases[i] ~= alias then
      redis.call('HDEL', KEYS[3], aliases[i])
      has_changed = true
    end
  end
  if alias ~= '' and redis.call('HSET', KEYS[3], alias, name) == 1 then
    has_changed = true
  end
end
if has_changed then
  write_log_entry()
end
return done({ 'done' })
