-- Change title, link, text and groups of an article: its poster may in the first minutes, a moderator at any time.
-- KEYS  1 article:<id>  2 groups:  3 link:<digest> as it was  4 link:<digest> as it will be  5 was:<id>
--       6 domain:<domain> as it was  7 domain:<domain> as it will be  8 domain-rules:
--       9 changes:  then for each group named, first those to add, its four keys;  then the act's, then the actor's
-- ARGV  1-3 the act's (see acts.lua)  4 the article as a member of rankings  5 poster's name, or empty for a moderator
--       6 seconds to edit  7 seconds per vote  8-10 the other ranking arguments  11 whether the new link has a domain
--       (0 or 1)  12 groups an article may be in  13 title  14 link  15 text
--       16 the link as the caller knows it  17 seconds a link is remembered  18 the revision that the form shows, or
--       empty for any  19 how many earlier versions are kept  20 for how many seconds  21 how many of the names are to add
--       22 the domains whose rules are about the new link, the closest first  then the names, then the actor's
-- Answers  edited | unknown | gone | not-yours | late <unix time> | again <link> | no-group <names> | too-many
--          | stale (somebody has changed the article since) | link-fixed (others have voted for it) | logged-out
--          | forbidden | domain-refused <domain> <why> (a rule refuses the new link)
local answer = begin_act()
if answer then
  return answer
end
local member, editor, edit_seconds, vote_score, max_lift, good_votes, max_ranked, has_domain, max_groups, new_title,
  new_link, new_text, known_link, link_seconds, known_revision, max_versions, version_seconds, add_count,
  domains = unpack(ARGV, 4)
local FIRST_GROUP_KEY, FIRST_GROUP_NAME = 10, 23
local title, link, text, poster, posted, votes, base, field, gone, revision, released = unpack(redis.call('HMGET', KEYS[1],
  'title', 'link', 'text', 'poster', 'time', 'votes', 'base', 'groups', 'gone', 'revision', 'released'))
if not title or not posted then
  return { 'unknown' }
elseif gone and gone ~= 'held' then
  return { 'gone' }
end
local time = finite(posted)
if editor ~= '' then
  if not is_name_of(poster, editor) then
    return { 'not-yours' }
  end
  -- What a moderator has released stays as they saw it.
  local ends = released and time or time + tonumber(edit_seconds)
  if not gone and tonumber(now()) >= ends then
    return { 'late', exact(ends) }
  end
end
if (link or '') ~= known_link then
  return { 'again', link or '' }
end
check_types(2, 2, 'set')
check_types(3, 7, 'zset')
check_types(8, 8, 'hash')
check_types(9, 9, 'stream')
check_groups(FIRST_GROUP_NAME, FIRST_GROUP_KEY)
check_log()
local remaining, in_group, unknown = plan_groups(field, FIRST_GROUP_NAME, tonumber(add_count), 2)
local _, count_before = string.gsub(field or '', '%S+', '')
local groups = table.concat(remaining, ' ')
local is_edited = title ~= new_title or (link or '') ~= new_link or (text or '') ~= new_text
if not is_edited and #unknown == 0 and groups == group_names(field) then
  return done({ 'edited' })
elseif known_revision ~= '' and known_revision ~= (revision or '0') then
  return { 'stale' }
elseif #unknown > 0 then
  return { 'no-group', table.concat(unknown, ' ') }
elseif #remaining > tonumber(max_groups) and #remaining > count_before then
  return { 'too-many' }
end
votes, base = finite(votes or 0), finite(base or 0) or 0
-- The poster's own vote is one that the base does not count; every other is somebody else's, an imported one too.
if editor ~= '' and (link or '') ~= new_link and votes - math.min(base, 0) > 1 then
  return { 'link-fixed' }
end
local action, domain, why = domain_rule(KEYS[8], domains)
-- A link that is exchanged afterwards cannot be held.
if (action == 'refuse' or action == 'hold' and editor ~= '' and not gone) and (link or '') ~= new_link then
  return { 'domain-refused', domain, why }
end

local time_of_edit = now()
local place = find_place(member, time, votes, vote_score, max_lift, good_votes, max_ranked)
redis.call('ZADD', KEYS[5], time_of_edit, cjson.encode({
  title = title, link = link or '', text = text or '', groups = field or '', time = time_of_edit,
  by = editor ~= '' and 'poster' or 'moderator' }))
redis.call('ZREMRANGEBYRANK', KEYS[5], 0, -1 - tonumber(max_versions))
redis.call('EXPIRE', KEYS[5], version_seconds)
-- What waits for a moderator is in no list.
local added, removed
if not gone then
  added, removed = move_groups(FIRST_GROUP_NAME, FIRST_GROUP_KEY, in_group, place)
end
redis.call('HSET', KEYS[1], 'title', new_title, 'link', new_link, 'text', new_text,
  'groups', groups, 'revision', next_revision(revision))
if new_link ~= known_link and not gone then
  redis.call('ZREM', KEYS[3], member)
  redis.call('ZREM', KEYS[6], member)
  enter_domain(KEYS[7], place, has_domain)
  if new_link ~= '' then
    remember_link(KEYS[4], time, tonumber(link_seconds), member)
  end
end
if is_edited then
  redis.call('HSET', KEYS[1], 'edited', time_of_edit)
end
if not gone then
  record_change(KEYS[9], groups == group_names(field) and 'a' or 't', member)
end
write_log_entry(added, removed)
return done({ 'edited' })
