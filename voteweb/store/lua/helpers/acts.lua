-- Scripts that act for a member end their KEYS with user:<actor>, and their ARGV with the actor's id and the least role
-- that may do this. For an act of the operator the id and the role are empty, and there is no such key.
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

-- Check the actor as check_member does, and take the actor off KEYS and ARGV: what is left ends as other scripts' do.
-- Returns the refusal, else nil and whether the operator acts.
local function check_actor()
  local least_role, id = table.remove(ARGV), table.remove(ARGV)
  if id == '' then
    return nil, true
  end
  return check_member(table.remove(KEYS), id, least_role), false
end

-- Scripts that could act again over somebody else's act, if they are sent again because an answer was lost, begin their
-- ARGV with three arguments: how many of the last KEYS belong to the act (0: neither remembered nor logged), for how
-- many seconds its answer is remembered, and its log entry as JSON, or "" if it is not logged. Those keys are
-- done:<token>, with another token for each act; if it is logged, log-entries: and the lists of ids that index it.

-- Return done:<token>.
local function done_key()
  return KEYS[#KEYS - tonumber(ARGV[1]) + 1]
end

-- Return the answer that this act has had before, else nil. Called before the script decides anything.
local function answer_before()
  local answer = tonumber(ARGV[1]) > 0 and redis.call('GET', done_key())
  return answer and cjson.decode(answer) or nil
end

-- Return the answer that this act has had before, also to an actor who may not act any more, else the refusal of its
-- actor; else nil.
local function begin_act()
  local refusal = check_actor()
  return answer_before() or refusal
end

-- Remember and return the answer of an act that has been done: sent again, it changes nothing.
local function done(answer)
  if tonumber(ARGV[1]) > 0 then
    redis.call('SET', done_key(), cjson.encode(answer), 'EX', ARGV[2])
  end
  return answer
end
