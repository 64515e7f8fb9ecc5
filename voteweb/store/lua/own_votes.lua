-- Tells which articles one member has voted for: one command in place of one for each row of a list.
-- KEYS  voted:<id> of each article
-- ARGV  1 voter's id
-- Answers a 1 or 0 for each key.
local answers = {}
for i = 1, #KEYS do
  answers[i] = redis.call('SISMEMBER', KEYS[i], ARGV[1])
end
return answers
