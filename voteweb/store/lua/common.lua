-- Helpers put before every script. None of them builds a key.

-- The time of this server as unix seconds with six decimals, as text: TIME gives microseconds without leading zeros.
local function now()
  local t = redis.call('TIME')
  return string.format('%d.%06d', tonumber(t[1]), tonumber(t[2]))
end

-- A number as text that reads back as the same number: Lua's own conversion keeps too few decimals.
local function exact(number)
  return string.format('%.17g', number)
end

-- Whether a key is absent or of the wanted type. Redis undoes nothing, so scripts ask before their first write.
local function fits(key, wanted)
  local kind = redis.call('TYPE', key).ok
  return kind == 'none' or kind == wanted
end

-- Fail before anything is written when one of the keys from first to last is of another type than wanted.
local function check(first, last, wanted)
  for i = first, last do
    if not fits(KEYS[i], wanted) then
      error('WRONGTYPE ' .. KEYS[i] .. ' is no ' .. wanted)
    end
  end
end

-- Count one act against the limits whose keys are KEYS from first on, unless one of them is used up: then against none.
-- ARGV from at on holds, for each, the acts at once and the seconds per act in the long run. A limit's key holds the
-- time up to which its acts are used up: each act adds its pause, and the next is taken while no more than the burst
-- lies ahead. Returns the script's answer when one is used up.
local function charge(first, at)
  local moment, until_then, worst, wait = tonumber(now()), {}, 0, 0
  for i = first, #KEYS do
    local burst, pause = tonumber(ARGV[at + 2 * (i - first)]), tonumber(ARGV[at + 2 * (i - first) + 1])
    local stored = tonumber(redis.call('GET', KEYS[i]) or '') or 0
    -- Never further ahead than the limit allows: it may have been wider, or the clock another server's.
    until_then[i] = math.min(math.max(stored, moment), moment + burst * pause)
    local ahead = until_then[i] - (burst - 1) * pause - moment
    if ahead > wait then
      worst, wait = i - first + 1, ahead
    end
  end
  if worst > 0 then
    return { 'full', tostring(worst), exact(wait), exact(moment + wait) }
  end
  for i = first, #KEYS do
    local taken = until_then[i] + tonumber(ARGV[at + 2 * (i - first) + 1])
    redis.call('SET', KEYS[i], exact(taken), 'EX', string.format('%d', math.ceil(taken - moment)))
  end
end

-- Put a member into a ranking for good: a program after the book may have set the ranking to expire.
local function rank(key, number, member)
  redis.call('ZADD', key, exact(number), member)
  redis.call('PERSIST', key)
end

-- Put an article into the list of good ones, or take it out, by its votes.
local function rank_good(key, votes, least, time, member)
  if votes >= least then
    rank(key, time, member)
  else
    redis.call('ZREM', key, member)
  end
end

-- The first microsecond from posted on at which no article of the ranking by time stands, as text.
-- Times are whole microseconds, so a stretch is full when it holds as many articles: doubling, then halving, finds
-- its end in some tens of steps, even among thousands of imported rows of one second.
local function free_time(ranking, posted)
  while redis.call('ZCOUNT', ranking, posted, posted) > 0 do
    local function after(n)
      return string.format('%.6f', tonumber(posted) + n * 0.000001)
    end
    local function is_full(n)
      return redis.call('ZCOUNT', ranking, posted, after(n)) > n
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
    posted = after(free)
  end
  return posted
end

-- Check the three keys of each group named in ARGV from first on; the first group's keys begin at KEYS[at].
local function check_groups(first, at)
  for i = first, #ARGV do
    local key = at + 3 * (i - first)
    check(key, key, 'set')
    check(key + 1, key + 2, 'zset')
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

-- Work out the groups of an article after a change: its field now, the names in ARGV from first on, of which the
-- first adding are to add and the others to remove. Returns the kept names, a table of who is a member, and the
-- names to add that are no groups (KEYS[known] holds them all).
local function plan_groups(field, first, adding, known)
  local missing, member_of, names, kept = {}, {}, {}, {}
  for name in string.gmatch(field or '', '%S+') do
    member_of[name] = true
    names[#names + 1] = name
  end
  for i = first, #ARGV do
    local adds = i - first + 1 <= adding
    if adds and redis.call('SISMEMBER', KEYS[known], ARGV[i]) == 0 then
      missing[#missing + 1] = ARGV[i]
    elseif adds and not member_of[ARGV[i]] then
      names[#names + 1] = ARGV[i]
    end
    member_of[ARGV[i]] = adds
  end
  for i = 1, #names do
    if member_of[names[i]] then
      kept[#kept + 1] = names[i]
    end
  end
  return kept, member_of, missing
end

-- Put an article into the groups in ARGV from first on or take it out, as member_of says; the first group's keys
-- begin at KEYS[at]. Returns the names that were added and those that were removed.
local function move_groups(first, at, member_of, time, points, member)
  local added, removed = {}, {}
  for i = first, #ARGV do
    local key = at + 3 * (i - first)
    local inside = redis.call('SISMEMBER', KEYS[key], member) == 1
    if member_of[ARGV[i]] then
      enter_group(key, time, points, member)
      if not inside then added[#added + 1] = ARGV[i] end
    else
      leave_group(key, member)
      if inside then removed[#removed + 1] = ARGV[i] end
    end
  end
  return table.concat(added, ' '), table.concat(removed, ' ')
end

-- Remember under which link an article is found, for as long as a second posting of it is asked about.
local function remember_link(key, time, seconds, member)
  redis.call('ZADD', key, exact(time), member)
  local newest = redis.call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2]
  redis.call('EXPIREAT', key, string.format('%d', math.ceil(tonumber(newest) + seconds)))
end

-- Fail before anything is written when one of the log's keys is of another type than record needs, or the entry's
-- id is another act's: a failover may have lost the count.
local function check_log()
  local count = tonumber(ARGV[1])
  if count == 0 then
    return
  end
  local first, last = #KEYS - count + 1, #KEYS
  if cjson.decode(ARGV[2]).undoes then
    check(last, last, 'hash')
    last = last - 1
  end
  check(first, first, 'hash')
  check(first + 1, last, 'zset')
  for name, value in pairs(cjson.decode(ARGV[2])) do
    local stored = redis.call('HGET', KEYS[first], name)
    if stored and stored ~= value then
      error('TAKEN ' .. KEYS[first])
    end
  end
end

-- Write an act into the log. ARGV[1] says how many of the last KEYS are the log's (0: the act is not logged): the
-- entry, then its rankings; ARGV[2] holds the entry's fields as JSON. With the field undoes, the last key is the
-- entry that is undone by this act.
local function record(more)
  local count = tonumber(ARGV[1])
  if count == 0 then
    return
  end
  local first, last, time = #KEYS - count + 1, #KEYS, now()
  local fields = cjson.decode(ARGV[2])
  if fields.undoes then
    redis.call('HSET', KEYS[last], 'undone', '1')
    last = last - 1
  end
  for name, value in pairs(more or {}) do
    fields[name] = value
  end
  for name, value in pairs(fields) do
    redis.call('HSET', KEYS[first], name, value)
  end
  redis.call('HSET', KEYS[first], 'time', time)
  for i = first + 1, last do
    rank(KEYS[i], tonumber(time), KEYS[first])
  end
end
