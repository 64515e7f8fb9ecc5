-- Note whether the author of a comment wants notices of replies to it, or the poster of an article those of comments.
-- KEYS  1 article:<id>  2 thread:<id>  then the act's, then the actor's
-- ARGV  1-3 the act's (see acts.lua)  4 the comment's number, 0 for the article  5 the member's name
--       6 whether no notices are wanted (0 or 1)  then the actor's
-- Answers  done | unknown | gone (the article) | comment-unknown | comment-gone | not-yours | logged-out | held
local answer = begin_act()
if answer then
  return answer
end
local number, name, is_quiet = tonumber(ARGV[4]), ARGV[5], ARGV[6] == '1'
check_types(2, 2, 'hash')
local missing, node = missing_comment(KEYS[1], KEYS[2], number)
if missing then
  return missing
end
if number == 0 then
  if not is_name_of(redis.call('HGET', KEYS[1], 'poster'), name) then
    return { 'not-yours' }
  end
  local was_quiet = redis.call('HEXISTS', KEYS[2], 'quiet') == 1
  if was_quiet ~= is_quiet then
    next_thread_revision(KEYS[2])
    if is_quiet then
      redis.call('HSET', KEYS[2], 'quiet', '1')
    else
      redis.call('HDEL', KEYS[2], 'quiet')
    end
  end
  return done({ 'done' })
end
if not is_author(node, name) then
  return { 'not-yours' }
end
if has_state(node, 'q') ~= is_quiet then
  set_state(node, 'q', is_quiet)
  write_node(KEYS[2], number, node)
end
return done({ 'done' })
