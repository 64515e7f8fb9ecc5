-- Tell which articles one member has voted for: one command instead of one for each row of a list. Only reads.
-- KEYS  voted:<id> of each article
-- ARGV  1 voter's id
-- Answers  1 or 0 for each key; 0 if another program has stored something else there
local answers = {}
for i = 1, #KEYS do
  answers[i] = redis.pcall('SISMEMBER', KEYS[i], ARGV[1]) == 1 and 1 or 0
end
return answers
