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

-- Remember under which link an article is found, for as long as a second posting of it is a duplicate. A time in whole
-- seconds takes 13 bytes less.
local function remember_link(key, time, member)
  time = math.floor(time)
  redis.call('ZADD', key, exact(time), member)
  for _, condition in ipairs({ 'NX', 'GT' }) do
    redis.call('EXPIREAT', key, string.format('%d', time + 1 + LINK_SECONDS), condition)
  end
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
