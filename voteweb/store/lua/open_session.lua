-- Open a session of a member, or find it open; of too many, the one that was not used for longest ends.
-- keys: user:{name} sessions:{name}
-- args: member_id session digest browser idle_seconds
-- session is the member's session id as the caller knows it, digest that of the new session; idle_seconds are those until one
-- that is not used ends.
-- Answers  open (by this call or before) | logged-out (sessions with this id of the member have ended, or the member is
--          banned)
local id, member_session, banned, until_time, left = unpack(
  redis.call('HMGET', user_key, 'id', 'session', 'banned', 'banned-until', 'left'))
if id ~= member_id or member_session ~= session or is_banned(banned, until_time) or left then
  return { 'logged-out' }
end
check_keys()
local is_current = redis.call('HGET', sessions_key, 'of') == session
if is_current and redis.call('HEXISTS', sessions_key, digest) == 1 then
  return { 'open' }
end
local time = tonumber(now())
local value = string.format('%d,0,0,%s', math.floor(time), browser)
write_when_full(user_key)
if not is_current then
  redis.call('DEL', sessions_key)
end
redis.call('HSET', sessions_key, 'of', session, digest, value)
local open = {}
local fields = redis.call('HGETALL', sessions_key)
for i = 1, #fields, 2 do
  local other, ends = fields[i], session_end(fields[i + 1], idle_seconds)
  if other ~= 'of' and ends <= time then
    redis.call('HDEL', sessions_key, other)
  elseif other ~= 'of' and other ~= digest then
    open[#open + 1] = { ends, other }
  end
end
table.sort(open, function(a, b) return a[1] < b[1] or (a[1] == b[1] and a[2] < b[2]) end)
for i = 1, #open + 1 - tonumber(MAX_SESSIONS) do
  redis.call('HDEL', sessions_key, open[i][2])
end
keep_sessions(sessions_key, session_end(value, idle_seconds))
return { 'open' }
