-- Find an open session that sends a form, and note that it is used, unless that was noted lately.
-- keys: sessions:{name}
-- args: session digest checked idle_seconds
-- helpers: common: now; members: find_session note_session
-- session is the member's session id as the cookie has it; checked is "checked" if the member has just given their password,
-- else empty; idle_seconds are those until a session that is not used ends.
-- Answers  open <value of the session> | ended
-- A check of the password is not noted again within these seconds, so that running this twice changes nothing more.
local CHECK_SECONDS = 5
local value, noted = find_session(sessions_key, session, digest, idle_seconds)
if not value then
  return { 'ended' }
end
if checked ~= '' then
  local began, used, before, browser = string.match(noted or value, '^(%d+),(%d+),(%d*),(.*)$')
  local after = math.floor(tonumber(now()) - began)
  if before == '' or after - before > CHECK_SECONDS then
    noted = string.format('%d,%d,%d,%s', began, used, after, browser)
  end
end
note_session(sessions_key, digest, noted, idle_seconds)
return { 'open', noted or value }
