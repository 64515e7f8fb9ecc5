-- The value of an open session is "<unix time at which it began>,<seconds until its last noted use>,<seconds until the
-- member last gave their password, empty if never>,<browser>". A session that is not used ends after idle seconds.

-- Return the unix time at which a session ends; 0 for a value that is none.
local function session_end(value, idle)
  local began, used = string.match(value, '^(%d+),(%d+),')
  if not began then
    return 0
  end
  return began + math.min(used + tonumber(idle), tonumber(MAX_SESSION_SECONDS))
end

-- Find the session of a digest among those of a member. Returns its value and, if its last use must be noted, the
-- value to store for note_session(); nil if it has ended, or belongs to another session id of the member.
local function find_session(key, member_session, digest, idle)
  local of, value = unpack(redis.call('HMGET', key, 'of', digest))
  local began, used, rest = string.match(value or '', '^(%d+),(%d+),(.*)$')
  local time = tonumber(now())
  if of ~= member_session or not began or session_end(value, idle) <= time then
    return nil
  end
  if time - began - used >= tonumber(SESSION_USE_SECONDS) then
    return value, string.format('%d,%d,%s', began, math.floor(time - began), rest)
  end
  return value
end

-- Return the answer of a script to a voter who may not vote, else nil, whether the voter has the limits of newcomers, and
-- the value for note_session(), and when the voter's votes changed before, empty for never. digest is empty for a vote
-- without a session. Seconds: newcomer_seconds for which a member is a newcomer, idle until a session that is not used ends.
local function check_voter(user_key, sessions_key, session_id, newcomer_seconds, digest, idle)
  local session, banned, until_time, left, signed_up, role, held, voted = unpack(
    redis.call('HMGET', user_key, 'session', 'banned', 'banned-until', 'left', 'signed-up', 'role', 'held', 'voted'))
  if session ~= session_id or is_banned(banned, until_time) or left then
    return { 'logged-out' }
  elseif held then
    return { 'held' }
  end
  local open_session, noted_use = find_session(sessions_key, session_id, digest, idle)
  if digest ~= '' and not open_session then
    return { 'logged-out' }
  end
  return nil, is_newcomer(signed_up, role, newcomer_seconds), noted_use, voted or ''
end

-- Keep the sessions of a member until the last of them has ended.
local function keep_sessions(key, ends)
  if redis.call('TTL', key) < ends - tonumber(now()) then
    redis.call('EXPIREAT', key, string.format('%d', math.ceil(ends)))
  end
end

-- Store the value that find_session() returned to be noted, if any. A full server does not stop the act that uses the
-- session.
local function note_session(key, digest, value, idle)
  if value and type(redis.pcall('HSET', key, digest, value)) ~= 'table' then
    keep_sessions(key, session_end(value, idle))
  end
end
