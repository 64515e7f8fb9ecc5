-- Tell whether a member is banned now: banned is the time of the ban, until_time its end, both as stored. A ban without
-- an end, or with one that is no time, stays until it is lifted.
local function is_banned(banned, until_time)
  local ends = finite(until_time or '')
  return (banned or '0') ~= '0' and not (ends and tonumber(now()) >= ends)
end

-- Tell whether a member has the limits of newcomers. signed_up is the time at which a member signed up on the site, nil
-- for one whom the operator or an import made; moderators are trusted already.
local function is_newcomer(signed_up, role, newcomer_seconds)
  local is_member = (role or 'member') == 'member'
  return is_member and signed_up and tonumber(now()) < tonumber(signed_up) + tonumber(newcomer_seconds)
end

local RANKS = { member = 1, moderator = 2, admin = 3 }

-- Return the role of a member, of whom role and second_factor are stored: where the site requires a second factor, those who
-- have none are members.
local function role_in_force(role, second_factor)
  if (RANKS[role] or RANKS.member) == RANKS.member then
    return 'member'
  end
  local has_rights = second_factor or try('HEXISTS', prefix .. 'site:', 'second-factor') ~= 1
  return has_rights and role or 'member'
end

-- Return the answer of the script to a member who may not act, else nil: what the caller knows of the member may be out
-- of date. logged-out: the member is banned or gone, or the name belongs to another id; held: the account waits for a
-- moderator; forbidden: the role is too low, or the site gives it no rights without a second factor.
local function check_member(key, id, least_role)
  local stored_id, role, banned, until_time, left, held, second_factor = unpack(
    redis.call('HMGET', key, 'id', 'role', 'banned', 'banned-until', 'left', 'held', 'second-factor'))
  if stored_id ~= id or left or is_banned(banned, until_time) then
    return { 'logged-out' }
  elseif held then
    return { 'held' }
  elseif RANKS[least_role] > RANKS.member and RANKS[role_in_force(role, second_factor)] < RANKS[least_role] then
    return { 'forbidden' }
  end
end

-- Return the answer of a script to a program that may not act for a member, else nil. digest is that of its token, empty where
-- no program acts. Its value is "<unix time at which it was made>,<seconds until its last noted
-- use>,<unix time of its end>,<rights>,<name>". logged-out: it has ended.
local function check_program(user_key, key, digest, right)
  if digest == '' then
    return nil
  end
  local of, value = unpack(redis.call('HMGET', key, 'of', digest))
  local ends, rights = string.match(value or '', '^%d+,%d+,(%d+),([%l ]*),')
  local is_open = ends and of == redis.call('HGET', user_key, 'session') and tonumber(now()) < tonumber(ends)
  if not is_open then
    return { 'logged-out' }
  elseif try('HEXISTS', prefix .. 'site:', 'programs') ~= 0 then
    return { 'programs-off' }
  elseif not string.find(' ' .. rights .. ' ', ' ' .. right .. ' ', 1, true) then
    return { 'no-right', right }
  end
end

-- Return the answer of a script to what was sent before with this token, else nil: status and what it became, as the script
-- stored both with sent(). body is the digest of what a program sends, empty for a form.
local function sent_before(once_key, status, body)
  local member, of_body = string.match(redis.call('GET', once_key) or '', '^(%S+) ?(.*)$')
  if member then
    return of_body == body and { status, member } or { 'other-body' }
  end
end

-- Store what was sent with this token, and what it has become.
local function sent(once_key, member, body)
  redis.call('SET', once_key, body == '' and member or member .. ' ' .. body, 'EX', ONCE_SECONDS)
end

-- Scripts that could act again over somebody else's act, if they are sent again because an answer was lost, remember their
-- answer at done_key, done:<token>, with another token for each act; it is empty for an act that is not remembered.

-- Return the answer that this act has had before, else nil. Called before the script decides anything.
local function answer_before(done_key)
  local answer = done_key ~= '' and redis.call('GET', done_key)
  return answer and cjson.decode(answer) or nil
end

-- Remember and return the answer of an act that has been done: sent again, it changes nothing.
local function done(done_key, answer)
  if done_key ~= '' then
    redis.call('SET', done_key, cjson.encode(answer), 'EX', DONE_SECONDS)
  end
  return answer
end

-- Count one act against the rate limits in the first of these keys, as many as count, or against none of them if one is
-- exceeded (generic cell rate algorithm). rates has two numbers per limit: acts at once (the burst), and seconds per act
-- in the long run (the interval). A limit's key holds the time up to which its acts are used up: each act adds an interval,
-- and the next is accepted while no more than the burst lies ahead. Returns the answer of the script when a limit is
-- exceeded, else nil and the times of all limits. The mode is "asked" if nothing is to be counted, and "when-full" for acts
-- that a server whose memory is full counts too, so that people can log in and moderate.
local function hit_rate_limits(keys, rates, count, mode)
  local time, used_until, exceeded, wait = tonumber(now()), {}, 0, 0
  for i = 1, count do
    local burst, interval = tonumber(rates[2 * i - 1]), tonumber(rates[2 * i])
    local stored = tonumber(redis.call('GET', keys[i]) or '') or 0
    -- Never further ahead than the limit allows: it may have been wider, or the clock another server's.
    used_until[i] = math.min(math.max(stored, time), time + burst * interval)
    local ahead = used_until[i] - (burst - 1) * interval - time
    if ahead > wait then
      exceeded, wait = i, ahead
    end
  end
  if exceeded > 0 then
    return { 'rate-limited', tostring(exceeded), exact(wait), exact(time + wait) }
  end
  if mode == 'when-full' and count > 0 then
    write_when_full(keys[1])
  end
  for i = 1, mode == 'asked' and 0 or count do
    used_until[i] = used_until[i] + tonumber(rates[2 * i])
    redis.call('SET', keys[i], exact(used_until[i]), 'EX', string.format('%d', math.ceil(used_until[i] - time)))
  end
  return nil, used_until
end

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
-- A program votes by the digest of its token among the member's programs, and without a session.
local function check_voter(
  user_key, sessions_key, session_id, newcomer_seconds, digest, idle, programs_key, program)
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
  local refusal = check_program(user_key, programs_key, program, 'vote')
  if refusal then
    return refusal
  end
  return nil, is_newcomer(signed_up, role, newcomer_seconds), noted_use, voted or ''
end

-- Return the answer to a step of a ban ("<log id> <state>") that may not take back a vote on member, or give it back: the
-- ban is in that state no more, or has not taken this vote; else nil, and the key of the votes that it took. The name of
-- the banned member is all behind the last colon (58) of user_key.
local function check_ban(ban, user_key, member, gives_back)
  local key = prefix .. 'revoked-votes:' .. string.match(user_key, '[^\58]*$')
  local removal, is_taken = redis.call('HGET', user_key, 'ban-removal') or '', redis.call('ZSCORE', key, member)
  if string.sub(removal, 1, #ban + 1) ~= ban .. ' ' then
    return { 'logged-out' }
  elseif gives_back and not is_taken then
    return { 'absent', '0' }
  end
  return nil, key
end

-- Note in the votes that a ban took that it took one on member, on which voting ends at closes, or gave it back.
local function note_vote_of_ban(key, member, closes, gives_back)
  if gives_back then
    redis.call('ZREM', key, member)
    return
  end
  local ends = string.format('%d', closes + VOTERS_GRACE_SECONDS)
  redis.call('ZADD', key, closes, member)
  redis.call('EXPIREAT', key, ends, 'NX')
  redis.call('EXPIREAT', key, ends, 'GT')
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
