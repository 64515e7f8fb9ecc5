-- Read a conversation as far as the caller does not know it, and all that a page of a short one shows. Only reads.
-- KEYS  1 thread:<id>  2 words:<id>  3 voted-comments:<id>-0, the voters of the first 511 comments
-- ARGV  1 the state that the caller knows, "*" if it reads the conversation by another command
--       2 the state and the number of the words that the caller knows, "" for none
--       3 the viewer's id, 0 for none, or if the caller reads the votes by another command: that takes a tenth of the time
--       4 number of comments up to which a conversation is short
--       5 number of comments up to which this script sends a conversation: the server takes three times as long as without
-- Answers  <state> <fields and values of the conversation, nil if known, too long or read otherwise>
--          <fields and values of its words, nil if known> <for each comment 1 if the viewer has voted for it>; the last two
--          are nil for a long one
-- The state is "<revision> <number of fields>": a restore sets the revision before it adds the comments.
local VOTER_FACTOR = 4294967296
local revision, last = unpack(redis.call('HMGET', KEYS[1], 'rev', 'last'))
local state = (revision or '0') .. ' ' .. redis.call('HLEN', KEYS[1])
last = tonumber(last or '') or 0
local thread, words, voted = false, false, false
if ARGV[1] ~= '*' and ARGV[1] ~= state and last <= tonumber(ARGV[5]) then
  thread = redis.call('HGETALL', KEYS[1])
end
if last <= tonumber(ARGV[4]) then
  if ARGV[2] ~= state .. ' ' .. redis.call('HLEN', KEYS[2]) then
    words = redis.call('HGETALL', KEYS[2])
  end
  voted = {}
  local voters = {}
  for number = 1, ARGV[3] == '0' and 0 or last do
    voters[number] = string.format('%.0f', number * VOTER_FACTOR + ARGV[3])
  end
  if #voters > 0 then
    local answer = redis.pcall('SMISMEMBER', KEYS[3], unpack(voters))
    voted = answer.err and {} or answer
  end
end
return { state, thread, words, voted }
