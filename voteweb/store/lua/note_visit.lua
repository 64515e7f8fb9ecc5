-- Note that a member sees the conversation of an article as it is now, and read the article. A server whose memory is full
-- does not stop the page: it notes nothing.
-- KEYS  1 seen:<name>  2 thread:<id>  3 article:<id>  4 words:<id>  5 voted-comments:<id>-0, the voters of the first 511 comments
-- ARGV  1 the article's id  2 seconds after its last noted page in which a visit ends  3 seconds for which visits are remembered
--       4 number of visits that are remembered  5 seconds in which another page without anything new is not noted again
--       6 and on: the fields of the article, first its title
-- Answers  visit <base> <seen> <time> <state of the conversation and of its words> <number of votes> <the fields> | unknown
-- The state is that of read_thread.lua, and then the number of words. The votes are members of the last key. Each vote for a
-- comment, and each that is taken back, writes a new revision of the conversation: while the state is the same, so are the
-- votes. Their number tells of a key that has expired or was deleted.
-- What is stored is "<base> <seen> <time>", and after another blank the member's own comments since then, with commas.
local id, visit_seconds, seconds, most, noted_seconds = unpack(ARGV)
local FIRST_FIELD = 6
local fields = redis.call('HMGET', KEYS[3], unpack(ARGV, FIRST_FIELD))
if not fields[1] then
  return { 'unknown' }
end
local last, revision = unpack(redis.call('HMGET', KEYS[2], 'last', 'rev'))
local state = (revision or '0') .. ' ' .. redis.call('HLEN', KEYS[2]) .. ' ' .. redis.call('HLEN', KEYS[4])
local votes = redis.call('SCARD', KEYS[5])
last = tonumber(string.match(last or '', '^%d+$') or '') or 0
local time = tonumber(redis.call('TIME')[1])
local base, seen, before = string.match(redis.call('HGET', KEYS[1], id) or '', '^(%d+) (%d+) (%d+)')
if not base then
  base = last
elseif time - before > tonumber(visit_seconds) then
  base = seen
elseif tonumber(seen) == last and math.abs(time - before) < tonumber(noted_seconds) then
  -- To note it costs as much as the rest, and the page after a vote for a comment is one of these.
  return { 'visit', base, seen, tostring(time), state, votes, fields }
end
local visit = string.format('%d %d %d', base, last, time)
if type(redis.pcall('HSET', KEYS[1], id, visit)) ~= 'table' then
  if redis.call('HLEN', KEYS[1]) > tonumber(most) then
    local visits, oldest, oldest_time = redis.call('HGETALL', KEYS[1]), id, time + 1
    for i = 1, #visits, 2 do
      local noted = tonumber(string.match(visits[i + 1], '^%d+ %d+ (%d+)') or '') or 0
      if noted < oldest_time then
        oldest, oldest_time = visits[i], noted
      end
    end
    redis.call('HDEL', KEYS[1], oldest)
  end
  redis.call('EXPIRE', KEYS[1], seconds)
end
return { 'visit', tostring(base), tostring(last), tostring(time), state, votes, fields }
