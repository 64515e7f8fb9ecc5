-- Do writes that somebody has decided on, unless something that they read for it is another by now. See store/connection/commit.py.
-- KEYS  those that the commands name, then the act's, then the actor's (see acts.lua)
-- ARGV  1-3 the act's (see acts.lua)  4 the commands that read, as JSON  5 their replies then  6 the commands that write
--       7 the types of keys that they write, as pairs of key and type  8 who is told of the log entry, as JSON: the kind
--       of each notice, and the member's user: inbox: unread:  9 entries of an inbox  10 seconds for which it holds them
--       11 unix time after which the act is decided anew, "": at any time  12 1 if a server whose memory is full takes
--       the writes  13-15 the groups that the log entry says were added and removed, and the end of a ban  16 an earlier
--       entry ("log-<id>") or a comment of which is told instead, ""  then the actor's
-- Answers  done | again (a read has another reply by now, or it is too late) | overruled (the act that this undoes is not
--          in force) | logged-out | held | forbidden
local answer = begin_act()
if answer then
  return answer
end
local reads, replies, writes = cjson.decode(ARGV[4]), cjson.decode(ARGV[5]), cjson.decode(ARGV[6])
local types, told, inbox_size, inbox_seconds = cjson.decode(ARGV[7]), cjson.decode(ARGV[8]), ARGV[9], ARGV[10]
-- Scores are compared as numbers: a client may have received them as such.
local function is_same(reply, expected)
  if type(reply) == 'table' and reply.ok then
    return reply.ok == expected
  elseif type(reply) == 'table' then
    if type(expected) ~= 'table' then
      return false
    end
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
if ARGV[11] ~= '' and tonumber(now()) > tonumber(ARGV[11]) then
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
elseif not is_in_force() then
  return { 'overruled' }
elseif ARGV[12] == '1' then
  write_when_full(done_key())
end
-- Two writes are several commands: see place_writes() in store/schema/rankings.py.
local function enter(key, member, score)
  if score then
    return rank(key, score, member)
  end
  redis.call('SADD', key, member)
  redis.call('PERSIST', key)
end
local function enter_best(key, member, value, max_ranked)
  rank_best(key, { member = member, by_votes = tonumber(value), max_ranked = tonumber(max_ranked) })
end
local OWN_WRITES = { ENTER = enter, ['ENTER-BEST'] = enter_best }
for _, write in ipairs(writes) do
  -- A counter that another program has made no number stays as it is.
  local run = write[1] == 'HINCRBY' and redis.pcall or redis.call
  if OWN_WRITES[write[1]] then
    OWN_WRITES[write[1]](unpack(write, 2))
  else
    run(unpack(write))
  end
end
local log_id = write_log_entry(unpack(ARGV, 13, 15))
local what = log_id and 'log-' .. log_id or ARGV[16]
for _, member in ipairs(what ~= '' and told or {}) do
  local kind, user_key, inbox_key, unread_key = unpack(member)
  if not has_notice(inbox_key, what) then
    notify(user_key, inbox_key, unread_key, kind, what, inbox_size, inbox_seconds)
  end
end
return done({ 'done' })
