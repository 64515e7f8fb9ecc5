-- Add a note of a moderator on a member.
-- KEYS  1 notes:<member>  2 user:<member>  then the act's, then the actor's (see acts.lua)
-- ARGV  1-3 the act's (see acts.lua)  4 text  5 the moderator's name  6 notes that a member may have  then the actor's
-- Answers  done <id of the note> | full | unknown | logged-out | forbidden
local answer = begin_act()
if answer then
  return answer
end
local text, author, most = unpack(ARGV, 4)
local id, left = unpack(redis.call('HMGET', KEYS[2], 'id', 'left'))
check_types(1, 1, 'hash')
if not id or left then
  return { 'unknown' }
elseif redis.call('HLEN', KEYS[1]) >= tonumber(most) then
  return { 'full' }
end
local note = string.gsub(now(), '%.', '')
while redis.call('HEXISTS', KEYS[1], note) == 1 do
  note = string.format('%.0f', tonumber(note) + 1)
end
redis.call('HSET', KEYS[1], note, cjson.encode({ by = author, time = now(), text = text }))
return done({ 'done', note })
