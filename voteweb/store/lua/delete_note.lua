-- Delete a note on a member: the moderator who wrote it may, and every admin.
-- KEYS  1 notes:<member>  then the actor's (see acts.lua)
-- ARGV  1 id of the note  2 the moderator's name  then the actor's
-- Answers  done (now or before) | not-yours | logged-out | forbidden
local refusal, rank = check_actor()
if refusal then
  return refusal
end
local note, author = unpack(ARGV)
check_types(1, 1, 'hash')
local stored = redis.call('HGET', KEYS[1], note)
local is_readable, fields = pcall(cjson.decode, stored or '{}')
if stored and rank < RANKS.admin and (not is_readable or type(fields) ~= 'table' or fields.by ~= author) then
  return { 'not-yours' }
end
redis.call('HDEL', KEYS[1], note)
return { 'done' }
