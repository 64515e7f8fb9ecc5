-- Do writes that somebody has decided on, unless something that they read for it is another by now. See
-- store/connection/commit.py.
-- keys: {named}*
-- args: done_key actor_key actor_id actor_session programs_key program right body role entry log_keys reads replies writes
--       types told not_after when_full is_repeated added removed until_time former told_of
-- helpers: common: check_type now write_when_full; members: answer_before check_member check_program done; rankings: rank
--          rank_best score; thread: notify
-- The keys are all that the commands and the other arguments name. For an act of the operator, actor_key and actor_id are
-- empty; role is the least that may do this. done_key is empty if the answer is not remembered. These are JSON: the log
-- entry, "" if the act is not logged; log_keys, log-entries: and the lists of ids that index it; the commands that read and
-- their replies then; the commands that write; the types of keys that they write, as pairs of key and type; and who is told
-- of the log entry: the kind of each notice, and the member's user: inbox: unread:. not_after is the unix time after which
-- the act is decided anew, "" for none; when_full is 1 if a server whose memory is full takes the writes; is_repeated is 1
-- if an earlier call of this act may still come, which must then do nothing; added and removed are groups, until_time the
-- end of a ban, and former what undoing the act brings back, for the log entry; told_of is an earlier entry ("log-<id>"), a
-- comment or a change of an account, of which is told instead, "" for none. programs_key, program and right are those of
-- check_program(); body is the digest of what a program sends with a key of its own, else empty: its answer tells that it
-- was remembered.
-- Answers  done | done <body> | nothing <body> (nor does an earlier call do anything), each with "-before" where it is given
--          again | other-body (another was sent with this key) | programs-off | no-right <right> | logged-out | held
--          | forbidden
--          | again (a read has another reply by now, or it is too late)
-- The places of fields in a log entry, which is an array of strings; LOG_FIELDS in fields.py names all.
local TIME, ADDED, REMOVED, UNTIL, FORMER = 3, 8, 9, 15, 21
local answer = answer_before(done_key)
if answer and (answer[2] or '') ~= body then
  return { 'other-body' }
elseif answer then
  answer[1] = answer[1] .. '-before'
end
answer = answer or actor_id ~= '' and check_member(actor_key, actor_id, role)
-- A new password, or "log out everywhere", ends also what was under way then.
if not answer and actor_session ~= '' and redis.call('HGET', actor_key, 'session') ~= actor_session then
  return { 'logged-out' }
end
answer = answer or check_program(actor_key, programs_key, program, right)
if answer then
  return answer
end
reads, replies, writes = cjson.decode(reads), cjson.decode(replies), cjson.decode(writes)
entry, log_keys = entry ~= '' and cjson.decode(entry), cjson.decode(log_keys)
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
if not_after ~= '' and tonumber(now()) > tonumber(not_after) then
  return { 'again' }
end
for i, read in ipairs(reads) do
  if not is_same(redis.call(unpack(read)), replies[i]) then
    return { 'again' }
  end
end
for _, pair in ipairs(cjson.decode(types)) do
  check_type(pair[1], pair[2])
end
for _, key in ipairs(log_keys) do
  check_type(key, 'list')
end
if #writes == 0 and (is_repeated ~= '1' or done_key == '') then
  return { 'done' }
end
if when_full == '1' then
  write_when_full(done_key ~= '' and done_key or writes[1][2])
end
if #writes == 0 then
  return done(done_key, body == '' and { 'done' } or { 'nothing', body })
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
  rank_best(key, { member = member, value = value, max_ranked = tonumber(max_ranked) })
end
local OWN_WRITES = { ENTER = enter, ['ENTER-BEST'] = enter_best }
for _, write in ipairs(writes) do
  -- A counter that another program has made no number stays as it is, and so does a stream of changes that is at its end.
  local run = (write[1] == 'HINCRBY' or write[1] == 'XADD') and redis.pcall or redis.call
  if OWN_WRITES[write[1]] then
    OWN_WRITES[write[1]](unpack(write, 2))
  else
    run(unpack(write))
  end
end
local what = told_of
if entry then
  entry[TIME], entry[ADDED], entry[REMOVED], entry[UNTIL], entry[FORMER] = now(), added, removed, until_time, former
  while entry[#entry] == '' do
    entry[#entry] = nil
  end
  local id = string.format('%d', redis.call('RPUSH', log_keys[1], cjson.encode(entry)))
  for i = 2, #log_keys do
    redis.call('RPUSH', log_keys[i], id)
  end
  what = 'log-' .. id
end
for _, member in ipairs(what ~= '' and cjson.decode(told) or {}) do
  local kind, user_key, inbox_key, unread_key = unpack(member)
  -- One search in all entries takes a tenth of the time of a match in each.
  local entries = table.concat(redis.call('LRANGE', inbox_key, 0, -1), '\n')
  if not string.find(entries, ' ' .. what .. ' ', 1, true) then
    notify(user_key, inbox_key, unread_key, kind, what)
  end
end
return done(done_key, body == '' and { 'done' } or { 'done', body })
