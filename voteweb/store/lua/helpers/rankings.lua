-- The score of an article: unix seconds of publishing plus vote_score seconds per vote, of which at most max_lift count
-- (0: all of them). score() in core/ranking.py explains the same formula to people: change both together.
local function score(time, votes, vote_score, max_lift)
  local lift = vote_score * votes
  return time + (max_lift > 0 and math.min(lift, max_lift) or lift)
end

-- The settings in up to three fields of the site's hash, so that a process that was started before they were changed
-- writes nothing by the values it knows; these count where the data have none.
local function in_force(known, known_second, known_third, ...)
  local stored = redis.pcall('HMGET', prefix .. 'site:', ...)
  return finite(stored[1] or nil) or tonumber(known), finite(stored[2] or nil) or tonumber(known_second),
    finite(stored[3] or nil) or tonumber(known_third)
end

-- The unix time at which voting on an article ends: its field closes, in whole seconds, or so many seconds after time
-- if it has none: those in this field of the settings. voting_end() in core/ranking.py: change both together.
local function voting_end(closes, time, field, seconds)
  local is_time = closes and #closes <= 12 and string.match(closes, '^%d+$')
  return is_time and tonumber(closes) or math.floor(time + (in_force(seconds, nil, nil, field)))
end

-- Put a member into a ranking for good, with a number as exact() gives it: a program written after the book may have set
-- the ranking to expire.
local function rank(key, number, member)
  redis.call('ZADD', key, number, member)
  redis.call('PERSIST', key)
end

-- The value of an article in rankings by votes, which tells those with as many votes apart by their time. by_votes() in
-- core/ranking.py: change both together.
local function by_votes(votes, time)
  return votes * 4294967296 + math.floor(time)
end

-- A ranking by votes holds a number of articles at most. This member has the value of the best one that it left out:
-- it stands below all articles, and whatever is worth more is in the ranking.
local LEFT_OUT = '-'

-- Take the lowest article out of a ranking by votes while it holds more than max_ranked.
local function trim_best(key, max_ranked)
  local count = redis.call('ZCARD', key)
  if count <= max_ranked then
    return
  end
  local at = redis.call('ZRANGE', key, 0, 0)[1] == LEFT_OUT and 1 or 0
  for _ = max_ranked + 1, count - at do
    local lowest = redis.call('ZRANGE', key, at, at, 'WITHSCORES')
    redis.call('ZREM', key, lowest[1])
    redis.call('ZADD', key, lowest[2], LEFT_OUT)
    at = 1
  end
end

-- Return the value of an article in a ranking by votes, and the best one that it left out, for put_best().
local function best_values(key, member)
  return redis.call('ZMSCORE', key, member, LEFT_OUT)
end

-- Put an article into a ranking by votes with these best_values() if it is one of the best, else take it out.
local function put_best(key, place, values)
  local stored, left_out = values[1], values[2]
  if left_out and tonumber(place.value) < tonumber(left_out) then
    if stored then
      redis.call('ZREM', key, place.member)
    end
  else
    redis.call('ZADD', key, place.value, place.member)
    if not stored then
      trim_best(key, place.max_ranked)
    end
  end
end

-- Put an article into a ranking by votes if it is one of the best, else take it out.
local function rank_best(key, place)
  put_best(key, place, best_values(key, place.member))
end

-- Tell whether a ranking, which expires, is there and stays until the commands behind the script have read it.
local function is_kept(key)
  return redis.call('PTTL', key) > 200
end

-- Add articles, as values and members in turn, to a ranking by votes that is being made.
local function add_best(key, values)
  for first = 1, #values, 1000 do
    redis.call('ZADD', key, unpack(values, first, math.min(first + 999, #values)))
  end
  redis.call('ZREM', key, LEFT_OUT)
  redis.call('ZREMRANGEBYRANK', key, 0, -1 - MAX_RANKED)
end

-- Keep the ranking that is being made at part_key as key if it is whole; else note how far it is.
local function keep_best(key, part_key, is_whole, position)
  if not is_whole then
    redis.call('ZADD', part_key, position, LEFT_OUT)
    redis.call('EXPIRE', part_key, 60)
    return { 'more' }
  end
  redis.call('ZADD', part_key, '-' .. now(), 'whole')
  redis.call('RENAME', part_key, key)
  redis.call('EXPIRE', key, BEST_SECONDS)
  return { 'made' }
end

-- Where an article stands in the rankings that hold it, by its time, its votes, and seconds per vote, most seconds by which
-- votes lift an article (0: no limit) and votes of a good article, all as texts. Its time, its points and its value in
-- rankings by votes are texts: several rankings get them.
local function find_place(member, time, votes, vote_score, max_lift, good_votes)
  local weight, days, good = in_force(
    vote_score, max_lift / 86400, good_votes, 'vote-score', 'lift-days', 'good-votes')
  return {
    member = member, time = exact(time), points = exact(score(time, votes, weight, days * 86400)),
    is_good = votes >= good, value = exact(by_votes(votes, time)), max_ranked = tonumber(MAX_RANKED) }
end

-- Put an article into the ranking of good articles, or take it out, depending on its votes.
local function rank_good(key, place)
  if place.is_good then
    rank(key, place.time, place.member)
  else
    redis.call('ZREM', key, place.member)
  end
end

-- Return the UTC day of a unix time as "2026-11-22". day_name() in core/ranking.py: change both together.
local function day_of(time)
  -- Days since the first of March of the year 0, of which 400 years have 146097. a - a % b is exact, and takes a third of the
  -- time of math.floor().
  local days = math.min(math.max((time - time % 86400) / 86400, -719162), 2932896) + 719468
  local day = days % 146097
  local leapless = day - (day - day % 1460) / 1460 + (day - day % 36524) / 36524 - (day - day % 146096) / 146096
  local year = (leapless - leapless % 365) / 365
  day = day - 365 * year - (year - year % 4) / 4 + (year - year % 100) / 100
  local months = 5 * day + 2
  local month = (months - months % 153) / 153
  local day_of_month = day - (153 * month + 2 - (153 * month + 2) % 5) / 5 + 1
  year = (days - days % 146097) / 146097 * 400 + year
  if month >= 10 then
    return string.format('%04d-%02d-%02d', year + 1, month - 9, day_of_month)
  end
  return string.format('%04d-%02d-%02d', year, month + 3, day_of_month)
end

-- Return the names of groups in an article's field. One that cannot be the name of a group is left out: it could name another
-- key.
local function group_names(groups)
  local names, is_sound = {}, not string.find(groups, '[^%w_ \128-\255-]')
  for name in string.gmatch(groups, '%S+') do
    if is_sound or string.find(name, '^[%w_\128-\255-]+$') then
      names[#names + 1] = name
    end
  end
  return names
end

-- Return the groups of these names, each once: of a second name the group that it stands for. Returns also the names that no
-- group has, of which those that can be the name of a group are among the first, too.
local function find_groups(groups_key, aliases_key, typed)
  local names, unknown = {}, {}
  for name in string.gmatch(typed, '%S+') do
    local is_group = redis.call('SISMEMBER', groups_key, name) == 1
    local group = not is_group and redis.call('HGET', aliases_key, name)
    if not (is_group or group) then
      unknown[#unknown + 1] = name
    end
    name = group_names(group or name)[1]
    if name and not names[name] then
      names[name], names[#names + 1] = true, name
    end
  end
  return names, unknown
end

-- Return the rankings of the site and the groups that hold an article of this time, whose link has this domain, "" for
-- none; raise an error if one has another type.
local function find_rankings(time, domain, names)
  local day_key, domain_key = prefix .. 'top-day:' .. day_of(time), domain ~= '' and prefix .. 'domain:' .. domain
  check_type(day_key, 'zset')
  check_type(domain_key or day_key, 'zset')
  for _, name in ipairs(names) do
    check_type(prefix .. 'group:' .. name, 'set')
    check_type(prefix .. 'time:' .. name, 'zset')
    check_type(prefix .. 'score:' .. name, 'zset')
    check_type(prefix .. 'top-group:' .. name, 'zset')
  end
  return { day_key = day_key, domain_key = domain_key, names = names }
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
