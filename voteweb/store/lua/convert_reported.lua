-- Turn what a member reported from a hash with the words of the reports into a set of articles.
-- KEYS  1 reported:<member>
-- ARGV  the ids of the articles
-- Answers  converted | unchanged (it is converted)
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'set' or kind == 'none' then
  return { 'unchanged' }
end
check_types(1, 1, 'hash')
redis.call('DEL', KEYS[1])
for i = 1, #ARGV do
  redis.call('SADD', KEYS[1], ARGV[i])
end
return { 'converted' }
