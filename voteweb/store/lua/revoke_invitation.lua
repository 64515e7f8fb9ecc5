-- Revoke an unused invitation.
-- KEYS  1 invite:<digest>  then the actor's
-- ARGV  1 name of the member who made it, or empty for a moderator  then the actor's
-- Answers  revoked | unknown | used | logged-out | forbidden
local refusal = check_actor()
if refusal then
  return refusal
end
local maker = ARGV[1]
local by, used = unpack(redis.call('HMGET', KEYS[1], 'by', 'used'))
if not by or (maker ~= '' and not is_name_of(by, maker)) then
  return { 'unknown' }
elseif used then
  return { 'used' }
end
redis.call('HSET', KEYS[1], 'revoked', '1')
return { 'revoked' }
