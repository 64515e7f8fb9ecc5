-- Helpers put in front of every script.
-- Every key comes in KEYS, and none is built here. Members and stored values come in ARGV, never from KEYS: a key may
-- carry the prefix of its site, a member never does.

-- The time of this server in unix seconds with six decimals, as text: TIME gives microseconds without leading zeros.
local function now()
  local t = redis.call('TIME')
  return string.format('%d.%06d', tonumber(t[1]), tonumber(t[2]))
end

-- A number as text that reads back as the same number: Lua's own conversion keeps too few decimals.
local function exact(number)
  return string.format('%.17g', number)
end

-- The score of an article: unix seconds of publishing plus vote_score seconds per vote.
-- score() in core/ranking.py explains the same formula to people: change both together.
local function score(time, votes, vote_score)
  return time + vote_score * votes
end

-- Tell whether a key is absent or of the wanted type. Redis undoes nothing, so scripts check before their first write.
local function has_type(key, wanted)
  local kind = redis.call('TYPE', key).ok
  return kind == 'none' or kind == wanted
end

-- Raise an error, before anything is written, unless all keys from KEYS[first] to KEYS[last] are of the wanted type.
local function check_types(first, last, wanted)
  for i = first, last do
    if not has_type(KEYS[i], wanted) then
      error('WRONGTYPE ' .. KEYS[i] .. ' is no ' .. wanted)
    end
  end
end

-- Count one act against the rate limits whose keys are KEYS[first_key] and all after it, or against none of them if
-- one is exceeded (generic cell rate algorithm). ARGV from first_argument on holds two numbers per limit: acts at once
-- (the burst), and seconds per act in the long run (the interval). A limit's key holds the time up to which its acts
-- are used up: each act adds an interval, and the next is accepted while no more than the burst lies ahead.
-- Returns the answer of the script when a limit is exceeded, else nil.
local function hit_rate_limits(first_key, first_argument)
  local time, used_until, exceeded, wait = tonumber(now()), {}, 0, 0
  for i = first_key, #KEYS do
    local at = first_argument + 2 * (i - first_key)
    local burst, interval = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
    local stored = tonumber(redis.call('GET', KEYS[i]) or '') or 0
    -- Never further ahead than the limit allows: it may have been wider, or the clock another server's.
    used_until[i] = math.min(math.max(stored, time), time + burst * interval)
    local ahead = used_until[i] - (burst - 1) * interval - time
    if ahead > wait then
      exceeded, wait = i - first_key + 1, ahead
    end
  end
  if exceeded > 0 then
    return { 'rate-limited', tostring(exceeded), exact(wait), exact(time + wait) }
  end
  for i = first_key, #KEYS do
    local used = used_until[i] + tonumber(ARGV[first_argument + 2 * (i - first_key) + 1])
    redis.call('SET', KEYS[i], exact(used), 'EX', string.format('%d', math.ceil(used - time)))
  end
end

-- Put a member into a ranking for good: a program written after the book may have set the ranking to expire.
local function rank(key, number, member)
  redis.call('ZADD', key, exact(number), member)
  redis.call('PERSIST', key)
end

-- Put an article into the ranking of good articles, or take it out, depending on its votes.
local function rank_good(key, votes, good_votes, time, member)
  if votes >= good_votes then
    rank(key, time, member)
  else
    redis.call('ZREM', key, member)
  end
end

-- Find the first microsecond from time on at which the ranking by time has no article, as text.
-- Times are whole microseconds, so an interval is full when it holds as many articles as microseconds: doubling, then
-- bisecting, finds its end in some tens of steps, even among thousands of imported rows of one second.
local function first_free_time(ranking, time)
  while redis.call('ZCOUNT', ranking, time, time) > 0 do
    local function after(n)
      return string.format('%.6f', tonumber(time) + n * 0.000001)
    end
    local function is_full(n)
      return redis.call('ZCOUNT', ranking, time, after(n)) > n
    end
    local full, free = 0, 1
    while is_full(free) do
      full, free = free, free * 2
    end
    while free - full > 1 do
      local middle = math.floor((full + free) / 2)
      if is_full(middle) then
        full = middle
      else
        free = middle
      end
    end
    time = after(free)
  end
  return time
end

-- Check the types of the three keys of each group named in ARGV from first_argument on; those of the first group begin
-- at KEYS[first_key].
local function check_groups(first_argument, first_key)
  for i = first_argument, #ARGV do
    local key = first_key + 3 * (i - first_argument)
    check_types(key, key, 'set')
    check_types(key + 1, key + 2, 'zset')
  end
end

-- Put an article into the group whose set is KEYS[at] and whose rankings, by time and by score, are the next two.
local function enter_group(at, time, points, member)
  redis.call('SADD', KEYS[at], member)
  redis.call('PERSIST', KEYS[at])
  rank(KEYS[at + 1], time, member)
  rank(KEYS[at + 2], points, member)
end

-- Take an article out of the group whose set is KEYS[at].
local function leave_group(at, member)
  redis.call('SREM', KEYS[at], member)
  redis.call('ZREM', KEYS[at + 1], member)
  redis.call('ZREM', KEYS[at + 2], member)
end

-- Compute the groups of an article after a change. field is the article's field now; of the names in ARGV from
-- first_argument on, the first add_count are to be added and the others removed.
-- Returns the names that remain, a table of name to whether the article is in it, and those names to add that are no
-- groups (KEYS[groups_key] holds all groups).
local function plan_groups(field, first_argument, add_count, groups_key)
  local unknown, in_group, names, remaining = {}, {}, {}, {}
  for name in string.gmatch(field or '', '%S+') do
    in_group[name] = true
    names[#names + 1] = name
  end
  for i = first_argument, #ARGV do
    local adds = i - first_argument + 1 <= add_count
    if adds and redis.call('SISMEMBER', KEYS[groups_key], ARGV[i]) == 0 then
      unknown[#unknown + 1] = ARGV[i]
    elseif adds and not in_group[ARGV[i]] then
      names[#names + 1] = ARGV[i]
    end
    in_group[ARGV[i]] = adds
  end
  for i = 1, #names do
    if in_group[names[i]] then
      remaining[#remaining + 1] = names[i]
    end
  end
  return remaining, in_group, unknown
end

-- Put an article into each group named in ARGV from first_argument on, or take it out, as in_group says. The keys of
-- the first group begin at KEYS[first_key]. Returns the names that were added and those that were removed.
local function move_groups(first_argument, first_key, in_group, time, points, member)
  local added, removed = {}, {}
  for i = first_argument, #ARGV do
    local key = first_key + 3 * (i - first_argument)
    local was_in_group = redis.call('SISMEMBER', KEYS[key], member) == 1
    if in_group[ARGV[i]] then
      enter_group(key, time, points, member)
      if not was_in_group then added[#added + 1] = ARGV[i] end
    else
      leave_group(key, member)
      if was_in_group then removed[#removed + 1] = ARGV[i] end
    end
  end
  return table.concat(added, ' '), table.concat(removed, ' ')
end

-- Remember under which link an article is found, for as long as a second posting of it is a duplicate.
local function remember_link(key, time, seconds, member)
  redis.call('ZADD', key, exact(time), member)
  local newest = redis.call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2]
  redis.call('EXPIREAT', key, string.format('%d', math.ceil(tonumber(newest) + seconds)))
end

-- Scripts that log begin their ARGV with three arguments: how many of the last KEYS are the log's (0: not logged), the
-- member of the new entry in the log's rankings, and the fields of the entry as JSON. Those keys are the entry, then
-- its rankings; with the field undoes, the last key is the entry that this act undoes.

-- Raise an error, before anything is written, when a key of the log is of a wrong type, or the entry's id belongs to
-- another act: a failover may have lost the counter.
local function check_log()
  local count = tonumber(ARGV[1])
  if count == 0 then
    return
  end
  local fields = cjson.decode(ARGV[3])
  local first, last = #KEYS - count + 1, #KEYS
  if fields.undoes then
    check_types(last, last, 'hash')
    last = last - 1
  end
  check_types(first, first, 'hash')
  check_types(first + 1, last, 'zset')
  for name, value in pairs(fields) do
    local stored = redis.call('HGET', KEYS[first], name)
    if stored and stored ~= value then
      error('TAKEN ' .. KEYS[first])
    end
  end
end

-- Write the entry into the log, with the fields of extra besides.
local function write_log_entry(extra)
  local count = tonumber(ARGV[1])
  if count == 0 then
    return
  end
  local first, last, time = #KEYS - count + 1, #KEYS, now()
  local fields = cjson.decode(ARGV[3])
  if fields.undoes then
    redis.call('HSET', KEYS[last], 'undone', '1')
    last = last - 1
  end
  for name, value in pairs(extra or {}) do
    fields[name] = value
  end
  for name, value in pairs(fields) do
    redis.call('HSET', KEYS[first], name, value)
  end
  redis.call('HSET', KEYS[first], 'time', time)
  for i = first + 1, last do
    rank(KEYS[i], tonumber(time), ARGV[2])
  end
end
