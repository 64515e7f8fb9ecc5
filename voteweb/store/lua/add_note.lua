-- Add a note of a moderator on a member.
-- KEYS  1 notes:<member>  2 user:<member>  then the actor's (see acts.lua)
-- ARGV  1 id of the note, one for each author and text  2 text  3 the moderator's name  4 notes that a member may have
--       then the actor's
-- Answers  done (now or before) | full | unknown | logged-out | forbidden
local refusal = check_actor()
if refusal then
  return refusal
end
local note, text, author, most = unpack(ARGV)
local id, left = unpack(redis.call('HMGET', KEYS[2], 'id', 'left'))
check_types(1, 1, 'hash')
if not id or left then
  return { 'unknown' }
elseif redis.call('HEXISTS', KEYS[1], note) == 1 then
  return { 'done' }
elseif redis.call('HLEN', KEYS[1]) >= tonumber(most) then
  return { 'full' }
end
redis.call('HSET', KEYS[1], note, cjson.encode({ by = author, time = now(), text = text }))
return { 'done' }
