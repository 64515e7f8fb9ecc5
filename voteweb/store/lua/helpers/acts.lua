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

-- Return the answer of the script to a member who may not act, else nil: what the caller knows of the member may be out
-- of date. logged-out: the member is banned or gone, or the name belongs to another id; held: the account waits for a
-- moderator; forbidden: the role is too low.
local function check_member(key, id, least_role)
  local stored_id, role, banned, until_time, left, held = unpack(
    redis.call('HMGET', key, 'id', 'role', 'banned', 'banned-until', 'left', 'held'))
  if stored_id ~= id or left or is_banned(banned, until_time) then
    return { 'logged-out' }
  elseif held then
    return { 'held' }
  elseif (RANKS[role] or RANKS.member) < RANKS[least_role] then
    return { 'forbidden' }
  end
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
