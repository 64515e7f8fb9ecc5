-- Find the rule about a link in the hash at key. domains are the host of the link and the domains above it, the closest
-- first. Returns nil, or the rule's action ("refuse" or "hold"), its domain, and the words that say why.
local function domain_rule(key, domains)
  local names = {}
  for name in string.gmatch(domains, '%S+') do
    names[#names + 1] = name
  end
  local stored = #names > 0 and redis.call('HMGET', key, unpack(names)) or {}
  for i = 1, #names do
    local is_readable, rule = pcall(cjson.decode, stored[i] or '')
    if is_readable and type(rule) == 'table' then
      return rule.action, names[i], tostring(rule.why)
    end
  end
end

-- Store a new article with these words by their names and these fields, names and values in turn. base is the number of votes
-- without a voter: if there is one vote more, the poster is a voter.
local function store_article(words, fields, votes, base, closes, poster_id)
  for name, text in pairs(words) do
    fields[#fields + 1], fields[#fields + 2] = name, text
  end
  redis.call('HSET', article_key, 'votes', string.format('%d', votes), 'base', string.format('%d', base),
    'closes', string.format('%d', closes), unpack(fields))
  if base < votes then
    redis.call('SADD', voted_key, poster_id)
    redis.call('EXPIREAT', voted_key, string.format('%d', closes + VOTERS_GRACE_SECONDS))
  end
end

-- Put a new article into the rankings that find_rankings() has returned, and into all other lists, that of its poster too
-- unless the poster has left. It is found under its link for as long as a second posting of that is a duplicate: a time in
-- whole seconds takes 13 bytes less.
local function list_article(rankings, place, link, has_left)
  rank(time_key, place.time, place.member)
  rank(score_key, place.points, place.member)
  rank_good(good_key, place)
  rank_best(top_key, place)
  rank_best(rankings.day_key, place)
  if rankings.domain_key then
    rank(rankings.domain_key, math.floor(place.time), place.member)
  end
  for _, name in ipairs(rankings.names) do
    local group_key = prefix .. 'group:' .. name
    redis.call('SADD', group_key, place.member)
    redis.call('PERSIST', group_key)
    rank(prefix .. 'time:' .. name, place.time, place.member)
    rank(prefix .. 'score:' .. name, place.points, place.member)
    rank_best(prefix .. 'top-group:' .. name, place)
  end
  if not has_left then
    rank(posted_key, place.time, place.member)
  end
  local time = math.floor(tonumber(place.time))
  if link ~= '' and tonumber(now()) < place.time + LINK_SECONDS then
    redis.call('ZADD', link_key, exact(time), place.member)
    for _, condition in ipairs({ 'NX', 'GT' }) do
      redis.call('EXPIREAT', link_key, string.format('%d', time + 1 + LINK_SECONDS), condition)
    end
  end
  record_change(changes_key, 'a', place.member)
end

-- The length of the stream of changes, about: 3 MB. Who has not read for longer compares everything with the site;
-- changes.py has the same number. An entry takes 3 of the 150 microseconds of a post.
local MAX_CHANGES = 100000

-- Note in the stream changes: that what is searched of these may be another now: of an article ("a"), of a comment ("c"),
-- or of an article and all of its comments ("t"); or that it was purged, an article with its comments or a comment ("p"),
-- so that no file may have its words any more. what ends with the article's id or "<article's id>.<comment's number>".
local function record_change(key, kind, what)
  redis.call('XADD', key, 'MAXLEN', '~', MAX_CHANGES, '*', kind, string.match(what, '[%d.]+$'))
end

-- The level of votes by which search finds the most voted, 0 for less than 4: vote_level() in ranking.py is the same.
local function vote_level(votes)
  local level = math.floor(math.log(2 + math.max(votes, 0)) / math.log(2) + 0.5)
  return level < 3 and 0 or math.min(level, 13)
end

-- Note as record_change() does that votes have changed, if they are of another level than before: 8 times from 1 to 1,000.
local function record_votes(key, kind, what, before, votes)
  if vote_level(before) ~= vote_level(votes) then
    record_change(key, kind, what)
  end
end
