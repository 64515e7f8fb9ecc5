-- Helpers put before every script. They read and reckon; none of them writes or builds a key.

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
