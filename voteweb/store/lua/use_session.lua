-- Find an open session that sends a form, and note that it is used, unless that was noted lately.
-- KEYS  1 sessions:<name>
-- ARGV  1 the member's session id as the cookie has it  2 digest of the session  3 "checked" if the member has just given
--       their password, else empty  4 seconds until a session that is not used ends  5 seconds until any ends
--       6 seconds in which a use is not noted again
-- Answers  open <value of the session> | ended
-- A check of the password is not noted again within these seconds, so that running this twice changes nothing more.
local CHECK_SECONDS = 5
local member_session, digest, checked, idle, longest, pause = unpack(ARGV)
local value, noted = find_session(1, member_session, digest, idle, longest, pause)
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
note_session(1, digest, noted, idle, longest)
return { 'open', noted or value }
