-- Build the ranking of the articles that are in all of several groups, unless it is kept.
-- The rankings of the site are kept for a time, up to a number of them; beyond it one is built for a single answer.
-- keys: {ranking} combined: groups: limit:{limits}*
-- args: member order groups seconds first_row last_row newest rates*
-- helpers: common: check_type exact now; members: hit_rate_limits; rankings: is_kept
-- The ranking is the combined one, and member its name in combined:; order is "time" or
-- "score"; seconds to keep it; the rows to answer if it is not kept are those at these positions, from 0, among those whose
-- score is at most newest, "" for all, and so is their number. With rate limits, rates are those of hit_rate_limits().
-- Answers  kept (it existed) | made | no-group (one of the names is no group's)
--          | unkept <number of articles> <whole or bounded> then the members of the rows
--          | rate-limited <number of the limit, from 1> <seconds to wait> <unix time from which it is accepted>
-- The ranking holds one marker below all articles: "whole" or "bounded", scored minus the unix time of its building.
-- With the marker, an empty intersection is kept too.
if is_kept(ranking_key) then
  return { 'kept' }
end
check_keys()
check_type(ranking_key, 'zset')
local group_keys, smallest, size = {}, nil, nil
for name in string.gmatch(groups, '%S+') do
  if redis.call('SISMEMBER', groups_key, name) == 0 then
    return { 'no-group' }
  end
  local key = prefix .. order .. ':' .. name
  local count = redis.call('ZCARD', key)
  group_keys[#group_keys + 1] = key
  if not size or count < size then
    smallest, size = key, count
  end
end
if size == 0 then
  return { 'unkept', '0', 'whole' }
end
local refusal = #limit_keys > 0 and hit_rate_limits(limit_keys, rates, #limit_keys)
if refusal then
  return refusal
end

local time = tonumber(now())
redis.call('UNLINK', ranking_key) -- after it a server whose memory is full does not refuse the others
redis.call('ZRANGESTORE', ranking_key, smallest, 0, MAX_COMBINED_ARTICLES - 1, 'REV')
table.insert(group_keys, 'AGGREGATE')
table.insert(group_keys, 'MAX')
redis.call('ZINTERSTORE', ranking_key, #group_keys - 1, ranking_key, unpack(group_keys))
local marker = size > tonumber(MAX_COMBINED_ARTICLES) and 'bounded' or 'whole'
redis.call('ZREMRANGEBYSCORE', combined_key, '-inf', exact(time))
if redis.call('ZCARD', combined_key) >= tonumber(MAX_COMBINATIONS) and not redis.call('ZSCORE', combined_key, member) then
  local newer = newest ~= '' and redis.call('ZCOUNT', ranking_key, '(' .. newest, '+inf') or 0
  local total = string.format('%d', redis.call('ZCARD', ranking_key) - newer)
  local rows = redis.call('ZREVRANGE', ranking_key, first_row + newer, last_row + newer)
  redis.call('UNLINK', ranking_key)
  return { 'unkept', total, marker, unpack(rows) }
end
redis.call('ZADD', ranking_key, exact(-time), marker)
redis.call('EXPIRE', ranking_key, seconds)
redis.call('ZADD', combined_key, exact(time + seconds), member)
redis.call('EXPIRE', combined_key, seconds)
return { 'made' }
