-- Make one ranking by votes of those of some days, a part of it in each call, unless it is kept.
-- KEYS  1 the ranking  2 what is made of it so far  then top-day:<day> for each of some of the days
-- ARGV  1 unix time: only articles published since are in it  2 seconds to keep it  3 articles that it holds
--       4 articles that one call adds, about  5 how many days there are before these  6 how many there are in all
-- Answers  kept (it existed) | made | more (call again)
-- It holds one more member below all articles: "whole", with minus the unix time of its making. What is made so far has
-- LEFT_OUT there, with minus the number of days that it holds.
local oldest, seconds, max_ranked, max_added, days_before, days_in_all = unpack(ARGV)
-- A day of which nothing is added takes as long as adding so many articles.
local FIRST_DAY_KEY, DAY_COST = 3, 5
if is_kept(1) then
  return { 'kept' }
end
check_types(1, #KEYS, 'zset')
oldest, max_ranked = tonumber(oldest), tonumber(max_ranked)
local day_count, added = -tonumber(redis.call('ZSCORE', KEYS[2], LEFT_OUT) or 0), 0
local next_key = FIRST_DAY_KEY + day_count - tonumber(days_before)
if next_key < FIRST_DAY_KEY or next_key > #KEYS then
  return { 'more' } -- it is the turn of other days
end
while next_key <= #KEYS and added < tonumber(max_added) do
  local lowest = redis.call('ZREVRANGE', KEYS[2], max_ranked - 1, max_ranked - 1, 'WITHSCORES')
  local above = lowest[1] and lowest[1] ~= LEFT_OUT and '(' .. lowest[2] or '-inf'
  local rows = redis.call('ZREVRANGEBYSCORE', KEYS[next_key], '+inf', above, 'WITHSCORES', 'LIMIT', 0,
    max_ranked)
  local pairs_to_add = {}
  for i = 1, #rows, 2 do
    if rows[i] ~= LEFT_OUT and seconds_of(tonumber(rows[i + 1])) >= oldest then
      table.insert(pairs_to_add, rows[i + 1])
      table.insert(pairs_to_add, rows[i])
    end
  end
  add_best(KEYS[2], pairs_to_add, max_ranked)
  day_count, next_key = day_count + 1, next_key + 1
  added = added + #pairs_to_add / 2 + DAY_COST
end
return keep_best(1, day_count == tonumber(days_in_all), -day_count, seconds)
