-- Tell whether a member is banned now: banned is the time of the ban, until_time its end, both as stored. A ban without
-- an end, or with one that is no time, stays until it is lifted.
local function is_banned(banned, until_time)
  local ends = finite(until_time or '')
  return (banned or '0') ~= '0' and not (ends and tonumber(now()) >= ends)
end

-- Tell whether the ban with this log id of the member at user_key is still in this state: "removing" or "restoring".
-- The steps of store/bans.py act for nobody, and must not go on after somebody has decided otherwise.
local function is_ban_in_state(user_key, log_id, state)
  local entry, found = string.match(redis.call('HGET', user_key, 'ban-removal') or '', '^(%d+) (%a+) ')
  return entry == log_id and found == state
end

-- Tell whether a member has the limits of newcomers. signed_up is the time at which a member signed up on the site, nil
-- for one whom the operator or an import made; moderators are trusted already.
local function is_newcomer(signed_up, role, newcomer_seconds)
  local is_member = (role or 'member') == 'member'
  return is_member and signed_up and tonumber(now()) < tonumber(signed_up) + tonumber(newcomer_seconds)
end
