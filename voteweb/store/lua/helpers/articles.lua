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
local function remember_link(key, time, seconds, member)
  time = math.floor(time)
  redis.call('ZADD', key, exact(time), member)
  for _, condition in ipairs({ 'NX', 'GT' }) do
    redis.call('EXPIREAT', key, string.format('%d', time + 1 + seconds), condition)
  end
end
