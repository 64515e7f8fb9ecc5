#!lua flags=no-writes
-- Count the unread entries in a member's inbox that can be read, without what they hide.
-- keys: removing: unread:{name} log-entries: hides:{name}
-- args: shows_comments
-- helpers: listed: readable_entries
-- shows_comments is 1 if the site has comments.
-- Answers  <number of entries> <those about comments> | nothing, if there is no such list
if redis.call('EXISTS', unread_key) == 0 then
  return {}
end
local entries = readable_entries(unread_key, log_entries_key, hides_key, shows_comments)
local answer = { #entries }
for _, entry in ipairs(entries) do
  if entry.id then
    answer[#answer + 1] = entry.text
  end
end
return answer
