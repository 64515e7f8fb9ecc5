-- Rank the articles of a group since a time by their votes, a part of them in each call, unless the ranking is kept.
-- KEYS  1 the ranking  2 what is made of it so far  3 time:<g>
-- ARGV  1 unix time: only articles published since are in it  2 seconds to keep it  3 articles that it holds
--       4 articles that one call looks at  5 the prefix of the site's keys, which members do not carry
-- Answers  kept (it existed) | made | more (call again) | none (the group has no article)
-- It holds one more member, as in merge_days.lua; of what is made so far, with minus the time of the last article.
local oldest, seconds, max_ranked, max_looked_at, prefix = unpack(ARGV)
if is_kept(1) then
  return { 'kept' }
end
check_types(1, 3, 'zset')
if redis.call('EXISTS', KEYS[3]) == 0 then
  return { 'none' }
end
local last = redis.call('ZSCORE', KEYS[2], LEFT_OUT)
local rows = redis.call('ZREVRANGEBYSCORE', KEYS[3], last and '(' .. string.sub(last, 2) or '+inf', oldest, 'WITHSCORES',
  'LIMIT', 0, max_looked_at)
local pairs_to_add = {}
for i = 1, #rows, 2 do
  local votes = redis.pcall('HGET', prefix .. rows[i], 'votes')
  if type(votes) == 'table' then
    refuse_elsewhere(votes)
  end
  votes = type(votes) == 'string' and finite(votes)
  if votes then
    table.insert(pairs_to_add, exact(by_votes(votes, tonumber(rows[i + 1]))))
    table.insert(pairs_to_add, rows[i])
  end
end
add_best(KEYS[2], pairs_to_add, tonumber(max_ranked))
local is_whole = #rows < 2 * tonumber(max_looked_at)
return keep_best(1, is_whole, is_whole and 0 or '-' .. rows[#rows], seconds)
