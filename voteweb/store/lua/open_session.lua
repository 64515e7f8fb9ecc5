-- Open a session of a member, or find it open; of too many, the one that was not used for longest ends.
-- KEYS  1 user:<name>  2 sessions:<name>
-- ARGV  1 member's id  2 the member's session id as the caller knows it  3 digest of the new session  4 browser
--       5 seconds until one that is not used ends  6 seconds until any ends  7 sessions that a member can have open
-- Answers  open (by this call or before) | logged-out (sessions with this id of the member have ended, or the member is
--          banned)
local member_id, member_session, digest, browser, idle, longest, max_sessions = unpack(ARGV)
local id, session, banned, until_time, left = unpack(
  redis.call('HMGET', KEYS[1], 'id', 'session', 'banned', 'banned-until', 'left'))
if id ~= member_id or session ~= member_session or is_banned(banned, until_time) or left then
  return { 'logged-out' }
end
check_types(2, 2, 'hash')
local is_current = redis.call('HGET', KEYS[2], 'of') == member_session
if is_current and redis.call('HEXISTS', KEYS[2], digest) == 1 then
  return { 'open' }
end
local time = tonumber(now())
local value = string.format('%d,0,0,%s', math.floor(time), browser)
write_when_full(KEYS[1])
if not is_current then
  redis.call('DEL', KEYS[2])
end
redis.call('HSET', KEYS[2], 'of', member_session, digest, value)
local open = {}
local fields = redis.call('HGETALL', KEYS[2])
for i = 1, #fields, 2 do
  local other, ends = fields[i], session_end(fields[i + 1], idle, longest)
  if other ~= 'of' and ends <= time then
    redis.call('HDEL', KEYS[2], other)
  elseif other ~= 'of' and other ~= digest then
    open[#open + 1] = { ends, other }
  end
end
table.sort(open, function(a, b) return a[1] < b[1] or (a[1] == b[1] and a[2] < b[2]) end)
for i = 1, #open + 1 - tonumber(max_sessions) do
  redis.call('HDEL', KEYS[2], open[i][2])
end
keep_sessions(2, session_end(value, idle, longest))
return { 'open' }
