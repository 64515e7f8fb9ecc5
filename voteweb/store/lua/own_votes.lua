#!lua flags=no-writes
-- Tell which articles one member has voted for: one command instead of one for each row of a list.
-- keys: voted:{article_ids}*
-- args: voter_id
-- helpers: thread: answers
-- Answers  1 or 0 for each key; 0 if another program has stored something else there
local answers = {}
for i, key in ipairs(voted_keys) do
  answers[i] = redis.pcall('SISMEMBER', key, voter_id) == 1 and 1 or 0
end
return answers
