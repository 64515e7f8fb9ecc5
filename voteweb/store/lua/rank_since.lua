-- Rank the articles of a group since a time by their votes, a part of them in each call, unless the ranking is kept.
-- keys: top-of:{period} part=top-of:{part} time:{group}
-- args: oldest
-- helpers: common: exact finite try; rankings: LEFT_OUT add_best by_votes is_kept keep_best
-- The part is what is made of the ranking so far; oldest is a unix time: only articles published since are in it.
-- Answers  kept (it existed) | made | more (call again) | none (the group has no article)
-- It holds one more member, as in merge_days.lua; of what is made so far, with minus the time of the last article.
if is_kept(top_of_key) then
  return { 'kept' }
end
check_keys()
if redis.call('EXISTS', time_key) == 0 then
  return { 'none' }
end
local last = redis.call('ZSCORE', part_key, LEFT_OUT)
local rows = redis.call('ZREVRANGEBYSCORE', time_key, last and '(' .. string.sub(last, 2) or '+inf', oldest, 'WITHSCORES',
  'LIMIT', 0, BEST_STEP)
local pairs_to_add = {}
for i = 1, #rows, 2 do
  local votes = finite(try('HGET', prefix .. rows[i], 'votes') or '')
  if votes then
    table.insert(pairs_to_add, exact(by_votes(votes, tonumber(rows[i + 1]))))
    table.insert(pairs_to_add, rows[i])
  end
end
add_best(part_key, pairs_to_add)
local is_whole = #rows < 2 * tonumber(BEST_STEP)
return keep_best(top_of_key, part_key, is_whole, is_whole and 0 or '-' .. rows[#rows])
