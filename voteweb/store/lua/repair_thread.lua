-- Repair the fields of a conversation that are no comment: its last number, its revision and its end.
-- KEYS  1 article:<id>  2 thread:<id>  3 voted-comments:<id>-<block> of the highest comment
-- ARGV  1 the highest number of its comments, 0 for none  2 comments of a conversation  3 seconds for which an article
--       is open for comments  4 seconds that the set of voters outlives them
-- Answers  repaired <new values> | unchanged | again (there is no such comment) | unrepairable (nothing tells its end)
-- It ends when the expiry of its voters says, else as for an article without comments.
local highest, most, commenting_seconds, grace = unpack(ARGV)
local last, revision, closes = unpack(redis.call('HMGET', KEYS[2], 'last', 'rev', 'closes'))
local posted = finite(redis.call('HGET', KEYS[1], 'time') or '')
check_types(3, 3, 'set')
if redis.call('EXISTS', KEYS[2]) == 0 then
  return { 'unchanged' }
elseif highest ~= '0' and redis.call('HEXISTS', KEYS[2], highest) == 0 then
  return { 'again' }
end
local function whole(text)
  return text and #text <= 16 and string.match(text, '^%d+$') and tonumber(text)
end
local known, fields, values = whole(last), {}, {}
local function set(name, value)
  fields[#fields + 1], fields[#fields + 2], values[#values + 1] = name, value, name .. ' ' .. value
end
highest = tonumber(highest)
if (last or highest > 0) and (not known or known < highest or known > tonumber(most)) then
  set('last', string.format('%d', highest))
end
if (closes or highest > 0) and not (whole(closes) and #closes <= 12) then
  local expires = redis.call('PEXPIRETIME', KEYS[3])
  if expires < 0 and not posted then
    return { 'unrepairable' }
  end
  local ends = expires < 0 and posted + tonumber(commenting_seconds) or expires / 1000 - tonumber(grace)
  set('closes', string.format('%d', math.floor(ends)))
end
if #fields == 0 and whole(revision) then
  return { 'unchanged' }
elseif #fields > 0 then
  redis.call('HSET', KEYS[2], unpack(fields))
end
next_thread_revision(KEYS[2])
return { 'repaired', unpack(values) }
