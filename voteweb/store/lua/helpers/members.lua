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
