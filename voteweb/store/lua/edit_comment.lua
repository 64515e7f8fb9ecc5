-- Change the text of a comment: only its author may, in the first minutes. Members whom it names now are told.
-- KEYS  1 article:<id>  2 thread:<id>  3 words:<id>  4 changes:
--       then for each member whom the text names three: user:<name> inbox:<name> unread:<name>;  then the act's, then
--       the actor's
-- ARGV  1-3 the act's (see acts.lua)  4 the comment's number  5 <article's id>.<number>  6 author's name  7 seconds to
--       edit  8 text  9 entries of an inbox  10 seconds for which it holds them  then the actor's
-- Answers  edited | unknown | gone (the article) | comment-unknown | comment-gone | not-yours | late <unix time>
--          | logged-out | held
local answer = begin_act()
if answer then
  return answer
end
local number, comment, author, edit_seconds, text, inbox_size, inbox_seconds = unpack(ARGV, 4)
local FIRST_MEMBER_KEY, last_member_key = 5, #KEYS - tonumber(ARGV[1])
local missing, node = missing_comment(KEYS[1], KEYS[2], tonumber(number))
if missing then
  return missing
elseif not is_author(node, author) then
  return { 'not-yours' }
elseif tonumber(now()) >= node.time + tonumber(edit_seconds) then
  return { 'late', exact(node.time + tonumber(edit_seconds)) }
end
check_types(3, 3, 'hash')
check_types(4, 4, 'stream')
check_members(FIRST_MEMBER_KEY, last_member_key)
if redis.call('HGET', KEYS[3], number) == text then
  return done({ 'edited' })
end

redis.call('HSET', KEYS[3], number, text)
set_state(node, 'e', true)
write_node(KEYS[2], number, node)
record_change(KEYS[4], 'c', comment)
for key = FIRST_MEMBER_KEY, last_member_key, 3 do
  if not has_notice(KEYS[key + 1], comment) then
    notify(KEYS[key], KEYS[key + 1], KEYS[key + 2], 'mention', comment, inbox_size, inbox_seconds)
  end
end
return done({ 'edited' })
