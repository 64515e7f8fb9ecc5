-- Do writes that somebody has decided on, unless something that they read for it is another by now. See store/commit.py.
-- KEYS  those that the commands name, then the act's, then the actor's (see acts.lua)
-- ARGV  1-3 the act's (see acts.lua)  4 the commands that read, as JSON  5 their replies then  6 the commands that write
--       7 the types of keys that they write, as pairs of key and type  8 unix time after which the act is decided anew,
--       "": at any time  9 1 if a server whose memory is full takes the writes  10-12 the groups that the log entry
--       says were added and removed, and the end of a ban  then the actor's
-- Answers  done | again (a read has another reply by now, or it is too late) | logged-out | held | forbidden
local answer = begin_act()
if answer then
  return answer
end
local reads, replies, writes, types = cjson.decode(ARGV[4]), cjson.decode(ARGV[5]), cjson.decode(ARGV[6]), cjson.decode(ARGV[7])
-- Scores are compared as numbers: a client may have received them as such.
local function is_same(reply, expected)
  if type(reply) == 'table' then
    for i = 1, math.max(#reply, #expected) do
      if not is_same(reply[i], expected[i]) then
        return false
      end
    end
    return true
  elseif not reply then
    return expected == cjson.null or expected == nil
  elseif type(expected) == 'number' then
    return tonumber(reply) == expected
  end
  return reply == expected
end
if ARGV[8] ~= '' and tonumber(now()) > tonumber(ARGV[8]) then
  return { 'again' }
end
for i, read in ipairs(reads) do
  if not is_same(redis.call(unpack(read)), replies[i]) then
    return { 'again' }
  end
end
for _, pair in ipairs(types) do
  if not has_type(pair[1], pair[2]) then
    error('WRONGTYPE ' .. pair[1] .. ' is no ' .. pair[2])
  end
end
check_log()
if #writes == 0 then
  return { 'done' }
elseif ARGV[9] == '1' then
  write_when_full(KEYS[1])
end
for _, write in ipairs(writes) do
  redis.call(unpack(write))
end
write_log_entry(unpack(ARGV, 10, 12))
return done({ 'done' })
