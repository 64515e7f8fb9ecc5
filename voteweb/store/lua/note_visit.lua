-- Note that a member sees the conversation of an article as it is now. A server whose memory is full does not stop the page:
-- it notes nothing.
-- KEYS  1 seen:<name>  2 thread:<id>  3 article:<id>
-- ARGV  1 the article's id  2 seconds after its last page in which a visit ends  3 seconds for which visits are remembered
--       4 number of visits that are remembered
-- Answers  visit <base> <seen> <time> | unknown
-- What is stored is "<base> <seen> <time>", and after another blank the member's own comments since then, with commas.
local id, visit_seconds, seconds, most = unpack(ARGV)
if redis.call('HEXISTS', KEYS[3], 'title') == 0 then
  return { 'unknown' }
end
local last = tonumber(string.match(redis.call('HGET', KEYS[2], 'last') or '', '^%d+$') or '') or 0
local time = tonumber(redis.call('TIME')[1])
local base, seen, before = string.match(redis.call('HGET', KEYS[1], id) or '', '^(%d+) (%d+) (%d+)')
if not base then
  base = last
elseif time - before > tonumber(visit_seconds) then
  base = seen
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
return { 'visit', tostring(base), tostring(last), tostring(time) }
