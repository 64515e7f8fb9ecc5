-- Tells which articles one member has voted for: one command in place of one for each row of a list. Changes nothing.
-- KEYS  1 voted:<id> of the first article  then of each other
-- ARGV  1 voter's id
-- Answers  a 1 or 0 for each key; 0 where another program has put something else
local answers = {}
for i = 1, #KEYS do
  answers[i] = redis.pcall('SISMEMBER', KEYS[i], ARGV[1]) == 1 and 1 or 0
end
return answers
