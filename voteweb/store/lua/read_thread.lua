-- Read a conversation as far as the caller does not know it, and all that a page of a short one shows. Only reads.
-- KEYS  1 thread:<id>  2 words:<id>  3 voted-comments:<id>-0, the voters of the first 511 comments
-- ARGV  1 the revision that the caller knows, "*" if it reads the conversation by another command
--       2 the viewer's id, 0 for none  3 number of comments up to which a conversation is short
--       4 number of comments up to which this script sends a conversation: the server takes three times as long as without
-- Answers  <revision> <highest number> <fields and values of the conversation, nil if known, too long or read otherwise>
--          <fields and values of its words> <for each comment 1 if the viewer has voted for it>; the last two are nil for a
--          long one
local VOTER_FACTOR = 4294967296
local revision, last = unpack(redis.call('HMGET', KEYS[1], 'rev', 'last'))
last = tonumber(last or '') or 0
local thread, words, voted = false, false, false
if ARGV[1] ~= '*' and ARGV[1] ~= (revision or '0') and last <= tonumber(ARGV[4]) then
  thread = redis.call('HGETALL', KEYS[1])
end
if last <= tonumber(ARGV[3]) then
  words, voted = redis.call('HGETALL', KEYS[2]), {}
  local voters = {}
  for number = 1, ARGV[2] == '0' and 0 or last do
    voters[number] = string.format('%.0f', number * VOTER_FACTOR + ARGV[2])
  end
  if #voters > 0 then
    local answer = redis.pcall('SMISMEMBER', KEYS[3], unpack(voters))
    voted = answer.err and {} or answer
  end
end
return { revision or '0', last, thread, words, voted }
