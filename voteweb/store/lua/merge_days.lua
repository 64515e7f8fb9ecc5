-- Make one ranking by votes of those of some days, a part of it in each call, unless it is kept.
-- keys: top-of:{period} part=top-of:{part} top-day:{days}*
-- args: oldest days_before days_in_all
-- helpers: rankings: LEFT_OUT add_best is_kept keep_best
-- The part is what is made of the ranking so far; oldest is a unix time: only articles published since are in it.
-- days_before is how many days there are before these.
-- Answers  kept (it existed) | made | more (call again)
-- It holds one more member below all articles: "whole", with minus the unix time of its making. What is made so far has
-- LEFT_OUT there, with minus the number of days that it holds.
-- A day of which nothing is added takes as long as adding so many articles.
local DAY_COST = 5
if is_kept(top_of_key) then
  return { 'kept' }
end
check_keys()
oldest = tonumber(oldest)
local day_count, added = -tonumber(redis.call('ZSCORE', part_key, LEFT_OUT) or 0), 0
local next = day_count - tonumber(days_before) + 1
if next < 1 or next > #top_day_keys then
  return { 'more' } -- it is the turn of other days
end
while next <= #top_day_keys and added < tonumber(BEST_STEP) do
  local lowest = redis.call('ZREVRANGE', part_key, MAX_RANKED - 1, MAX_RANKED - 1, 'WITHSCORES')
  local above = lowest[1] and lowest[1] ~= LEFT_OUT and '(' .. lowest[2] or '-inf'
  local rows = redis.call('ZREVRANGEBYSCORE', top_day_keys[next], '+inf', above, 'WITHSCORES', 'LIMIT', 0,
    MAX_RANKED)
  local pairs_to_add = {}
  for i = 1, #rows, 2 do
    if rows[i] ~= LEFT_OUT and tonumber(rows[i + 1]) % 4294967296 >= oldest then -- its time: see by_votes()
      table.insert(pairs_to_add, rows[i + 1])
      table.insert(pairs_to_add, rows[i])
    end
  end
  add_best(part_key, pairs_to_add)
  day_count, next = day_count + 1, next + 1
  added = added + #pairs_to_add / 2 + DAY_COST
end
return keep_best(top_of_key, part_key, day_count == tonumber(days_in_all), -day_count)
