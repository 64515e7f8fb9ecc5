-- Make the index of members, the set of admins, the queue of held accounts and the removals of bans agree with a member;
-- one who left, and a name that nobody has, is in none.
-- KEYS  1 user:<name>  2 users:  3 admins:  4 held:  5 ban-removals:
-- ARGV  1 name in lower case
-- Answers  repaired | unchanged
local name = ARGV[1]
local id, left, role, banned, until_time, since, held, removal = unpack(
  redis.call('HMGET', KEYS[1], 'id', 'left', 'role', 'banned', 'banned-until', 'since', 'held', 'ban-removal'))
check_types(2, 2, 'zset')
check_types(3, 3, 'set')
check_types(4, 4, 'zset')
check_types(5, 5, 'set')
local is_member, changed = id and not left, false
local joined, indexed = tonumber(since or '') or 0, tonumber(redis.call('ZSCORE', KEYS[2], name) or '')
if joined ~= joined or math.abs(joined) == math.huge then
  joined = 0
end
if is_member and indexed ~= joined then
  rank(KEYS[2], joined, name)
  changed = true
elseif not is_member and indexed then
  redis.call('ZREM', KEYS[2], name)
  changed = true
end
local belongs = is_member and is_admin(role, banned, until_time)
if belongs ~= (redis.call('SISMEMBER', KEYS[3], name) == 1) then
  set_admin(3, name, belongs)
  changed = true
end
local waits_since = is_member and held and (banned or '0') == '0' and (tonumber(held) or 0)
local queued = tonumber(redis.call('ZSCORE', KEYS[4], name) or '')
if waits_since and queued ~= waits_since then
  rank(KEYS[4], waits_since, name)
  changed = true
elseif not waits_since and queued then
  redis.call('ZREM', KEYS[4], name)
  changed = true
end
local state = is_member and string.match(removal or '', '^%d+ (%a+) ')
local works = state == 'removing' or state == 'restoring'
if works ~= (redis.call('SISMEMBER', KEYS[5], name) == 1) then
  redis.call(works and 'SADD' or 'SREM', KEYS[5], name)
  changed = true
end
return { changed and 'repaired' or 'unchanged' }
