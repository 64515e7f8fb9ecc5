-- Helpers put in front of every script.
-- Every key comes in KEYS, and none is built here. Members and stored values come in ARGV, never from KEYS: a key may
-- carry the prefix of its site, a member never does.

-- The time of this server in unix seconds with six decimals, as text: TIME gives microseconds without leading zeros.
local function now()
  local t = redis.call('TIME')
  return string.format('%d.%06d', tonumber(t[1]), tonumber(t[2]))
end

-- A stored number, or nil for a text that is none, or that is infinite: no command could take what is computed from it.
local function finite(text)
  local number = tonumber(text)
  return number and number - number == 0 and number or nil
end

-- A number as text that reads back as the same number: Lua's own conversion keeps too few decimals.
local function exact(number)
  return string.format('%.17g', number)
end

-- The score of an article: unix seconds of publishing plus vote_score seconds per vote, of which at most max_lift count
-- (0: all of them). score() in core/ranking.py explains the same formula to people: change both together.
local function score(time, votes, vote_score, max_lift)
  local lift = vote_score * votes
  return time + (max_lift > 0 and math.min(lift, max_lift) or lift)
end

-- The unix time at which voting on an article ends: its field closes, in whole seconds, or voting_seconds after time if
-- a program that knows no such field has stored the article. voting_end() in core/ranking.py: change both together.
local function voting_end(closes, time, voting_seconds)
  local is_time = closes and #closes <= 12 and string.match(closes, '^%d+$')
  return is_time and tonumber(closes) or math.floor(time + tonumber(voting_seconds))
end

-- Let the writes that follow happen on a server whose memory is full: it refuses a command that may take memory, unless
-- the script has written before. For acts that free memory or keep the site safe. The key is one that never expires, or
-- that gets an expiry afterwards.
local function write_when_full(key)
  redis.call('PERSIST', key)
end

-- Tell whether a key is absent or of the wanted type. Redis undoes nothing, so scripts check before their first write.
local function has_type(key, wanted)
  local kind = redis.call('TYPE', key).ok
  return kind == 'none' or kind == wanted
end

-- Take the answer of a poster to the removal of an article off what waits for the moderators. The answer itself stays.
local function settle_answer(article_key, answers_key, member)
  redis.call('HDEL', article_key, 'answered')
  redis.call('ZREM', answers_key, member)
end

-- Raise an error, before anything is written, unless all keys from KEYS[first] to KEYS[last] are of the wanted type.
local function check_types(first, last, wanted)
  for i = first, last do
    if not has_type(KEYS[i], wanted) then
      error('WRONGTYPE ' .. KEYS[i] .. ' is no ' .. wanted)
    end
  end
end

-- Tell whether a stored name is that of the member whose name is spelled so. Lua knows the case of ASCII letters alone,
-- which programs after the book and earlier versions may have stored otherwise; any other name is stored as its member
-- spells it.
local function is_name_of(stored, name)
  return stored == name or string.lower(stored or '') == string.lower(name)
end

-- Tell whether a member is banned now: banned is the time of the ban, until_time its end, both as stored. A ban without
-- an end, or with one that is no time, stays until it is lifted.
local function is_banned(banned, until_time)
  local ends = finite(until_time or '')
  return (banned or '0') ~= '0' and not (ends and tonumber(now()) >= ends)
end

-- Tell whether the ban with this log id of the member at user_key is still in this state: "removing" or "restoring".
-- The steps of store/ban_removals.py act for nobody, and must not go on after somebody has decided otherwise.
local function is_ban_in_state(user_key, log_id, state)
  local entry, found = string.match(redis.call('HGET', user_key, 'ban-removal') or '', '^(%d+) (%a+) ')
  return entry == log_id and found == state
end

-- Scripts that act for a member end their KEYS with user:<actor>, and their ARGV with the actor's id and the least role
-- that may do this. For an act of the operator the id and the role are empty, and there is no such key.
local RANKS = { member = 1, moderator = 2, admin = 3 }

-- Return the answer of the script to a member who may not act, else nil and the rank of the member's role: what the
-- caller knows of the member may be out of date. logged-out: the member is banned or gone, or the name belongs to
-- another id; held: the account waits for a moderator; forbidden: the role is too low.
local function check_member(key, id, least_role)
  local stored_id, role, banned, until_time, left, held = unpack(
    redis.call('HMGET', key, 'id', 'role', 'banned', 'banned-until', 'left', 'held'))
  local rank = RANKS[role] or RANKS.member
  if stored_id ~= id or left or is_banned(banned, until_time) then
    return { 'logged-out' }
  elseif held then
    return { 'held' }
  elseif rank < RANKS[least_role] then
    return { 'forbidden' }
  end
  return nil, rank
end

-- Check the actor as check_member does, and take the actor off KEYS and ARGV: what is left ends as other scripts' do.
-- The operator ranks above all.
local function check_actor()
  local least_role, id = table.remove(ARGV), table.remove(ARGV)
  if id == '' then
    return nil, math.huge
  end
  return check_member(table.remove(KEYS), id, least_role)
end

-- Tell whether a member has the limits of newcomers. signed_up is the time at which a member signed up on the site, nil
-- for one whom the operator or an import made; moderators are trusted already.
local function is_newcomer(signed_up, role, newcomer_seconds)
  local is_member = (role or 'member') == 'member'
  return is_member and signed_up and tonumber(now()) < tonumber(signed_up) + tonumber(newcomer_seconds)
end

-- Count one act against the rate limits whose keys are KEYS[first_key] and all up to KEYS[last_key] (by default the
-- last), or against none of them if one is exceeded (generic cell rate algorithm). ARGV from first_argument on holds two
-- numbers per limit: acts at once (the burst), and seconds per act in the long run (the interval). A limit's key holds
-- the time up to which its acts are used up: each act adds an interval, and the next is accepted while no more than the
-- burst lies ahead. With when_full a server whose memory is full counts too, so that people can log in and moderate.
-- Returns the answer of the script when a limit is exceeded, else nil.
local function hit_rate_limits(first_key, first_argument, last_key, when_full)
  local time, used_until, exceeded, wait = tonumber(now()), {}, 0, 0
  for i = first_key, last_key or #KEYS do
    local at = first_argument + 2 * (i - first_key)
    local burst, interval = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
    local stored = tonumber(redis.call('GET', KEYS[i]) or '') or 0
    -- Never further ahead than the limit allows: it may have been wider, or the clock another server's.
    used_until[i] = math.min(math.max(stored, time), time + burst * interval)
    local ahead = used_until[i] - (burst - 1) * interval - time
    if ahead > wait then
      exceeded, wait = i - first_key + 1, ahead
    end
  end
  if exceeded > 0 then
    return { 'rate-limited', tostring(exceeded), exact(wait), exact(time + wait) }
  end
  if when_full then
    write_when_full(KEYS[first_key])
  end
  for i = first_key, last_key or #KEYS do
    local used = used_until[i] + tonumber(ARGV[first_argument + 2 * (i - first_key) + 1])
    redis.call('SET', KEYS[i], exact(used), 'EX', string.format('%d', math.ceil(used - time)))
  end
end

-- Count an act in the statistics of a day, which expire after some seconds. One more or less does no harm: a field that
-- another program has made no number stays as it is.
local function count_act(key, field, by, seconds)
  local count = redis.pcall('HINCRBY', key, field, by)
  if count == 1 or count == -1 then
    redis.call('EXPIRE', key, seconds)
  end
end

-- Put a member into a ranking for good: a program written after the book may have set the ranking to expire.
local function rank(key, number, member)
  redis.call('ZADD', key, exact(number), member)
  redis.call('PERSIST', key)
end

-- The value of an article in rankings by votes, which tells those with as many votes apart by their time. by_votes() in
-- core/ranking.py: change both together.
local function by_votes(votes, time)
  return votes * 4294967296 + math.floor(time)
end

-- A ranking by votes holds a number of articles at most. This member has the value of the best one that it left out:
-- it stands below all articles, and whatever is worth more is in the ranking.
local LEFT_OUT = '-'

-- Take the lowest article out of a ranking by votes while it holds more than max_ranked.
local function trim_best(key, max_ranked)
  local lowest = redis.call('ZRANGE', key, 0, 1, 'WITHSCORES')
  local at = lowest[1] == LEFT_OUT and 3 or 1
  local count = redis.call('ZCARD', key) - (at == 3 and 1 or 0)
  if count > max_ranked then
    redis.call('ZREM', key, lowest[at])
    redis.call('ZADD', key, lowest[at + 1], LEFT_OUT)
    return trim_best(key, max_ranked)
  end
end

-- Put an article into a ranking by votes if it is one of the best, else take it out.
local function rank_best(key, place)
  local stored, left_out = unpack(redis.call('ZMSCORE', key, place.member, LEFT_OUT))
  if left_out and place.by_votes < tonumber(left_out) then
    if stored then
      redis.call('ZREM', key, place.member)
    end
  else
    redis.call('ZADD', key, exact(place.by_votes), place.member)
    if not stored then
      trim_best(key, place.max_ranked)
    end
  end
end

-- The publish time in a value of a ranking by votes, in whole seconds.
local function seconds_of(value)
  return value % 4294967296
end

-- Tell whether the ranking in KEYS[at], which expires, is there and stays until it has been read.
local function is_kept(at)
  return redis.call('PTTL', KEYS[at]) > 200
end

-- Add articles, as values and members in turn, to a ranking by votes that is being made.
local function add_best(key, values, max_ranked)
  for first = 1, #values, 1000 do
    redis.call('ZADD', key, unpack(values, first, math.min(first + 999, #values)))
  end
  redis.call('ZREM', key, LEFT_OUT)
  redis.call('ZREMRANGEBYRANK', key, 0, -1 - max_ranked)
end

-- Keep the ranking in KEYS[at + 1], which is being made, as KEYS[at] if it is whole; else note how far it is.
local function keep_best(at, is_whole, position, seconds)
  if not is_whole then
    redis.call('ZADD', KEYS[at + 1], position, LEFT_OUT)
    redis.call('EXPIRE', KEYS[at + 1], 60)
    return { 'more' }
  end
  redis.call('ZADD', KEYS[at + 1], '-' .. now(), 'whole')
  redis.call('RENAME', KEYS[at + 1], KEYS[at])
  redis.call('EXPIRE', KEYS[at], seconds)
  return { 'made' }
end

-- Where an article stands in the rankings that hold it. The texts are four arguments of scripts, in the order of
-- ranking_arguments() in store/article_lists.py: seconds per vote, most seconds by which votes lift an article (0: no
-- limit), votes of a good article, and articles that a ranking by votes holds.
local function find_place(member, time, votes, vote_score, max_lift, good_votes, max_ranked)
  return {
    member = member, time = time, points = score(time, votes, tonumber(vote_score), tonumber(max_lift)),
    is_good = votes >= tonumber(good_votes), by_votes = by_votes(votes, time), max_ranked = tonumber(max_ranked) }
end

-- Put an article into the ranking of good articles, or take it out, depending on its votes.
local function rank_good(key, place)
  if place.is_good then
    rank(key, place.time, place.member)
  else
    redis.call('ZREM', key, place.member)
  end
end

-- The keys of the rankings of the site that hold an article come in one order, that of site_keys() in
-- store/article_lists.py: time: score: good: top: top-day:<day> domain:<domain>. Those of a group, of group_keys() there:
-- group:<g> time:<g> score:<g> top-group:<g>.
local SITE_KEYS, GROUP_KEYS = 6, 4

-- Return the day of a time, in days since 1970.
local function day_of(time)
  return string.format('%d', math.floor(time / 86400))
end

-- Put an article into the ranking of its link's domain; has_domain: 0 if the link has none.
local function enter_domain(key, place, has_domain)
  if has_domain == '1' then
    rank(key, math.floor(place.time), place.member)
  end
end

-- Put an article into the rankings of the site, the first of which is KEYS[at].
local function enter_site(at, place, has_domain)
  rank(KEYS[at], place.time, place.member)
  rank(KEYS[at + 1], place.points, place.member)
  rank_good(KEYS[at + 2], place)
  rank_best(KEYS[at + 3], place)
  rank_best(KEYS[at + 4], place)
  enter_domain(KEYS[at + 5], place, has_domain)
end

-- Take an article out of the rankings of the site.
local function leave_site(at, member)
  for i = at, at + SITE_KEYS - 1 do
    redis.call('ZREM', KEYS[i], member)
  end
end

-- Find the first microsecond from time on at which the ranking by time has no article, as text.
-- Times are whole microseconds, so an interval is full when it holds as many articles as microseconds: doubling, then
-- bisecting, finds its end in some tens of steps, even among thousands of imported rows of one second.
local function first_free_time(ranking, time)
  while redis.call('ZCOUNT', ranking, time, time) > 0 do
    local function after(n)
      return string.format('%.6f', tonumber(time) + n * 0.000001)
    end
    local function is_full(n)
      return redis.call('ZCOUNT', ranking, time, after(n)) > n
    end
    local full, free = 0, 1
    while is_full(free) do
      full, free = free, free * 2
    end
    while free - full > 1 do
      local middle = math.floor((full + free) / 2)
      if is_full(middle) then
        full = middle
      else
        free = middle
      end
    end
    time = after(free)
  end
  return time
end

-- Find the rule about a link in the hash at key. domains are the host of the link and the domains above it, the closest
-- first. Returns nil, or the rule's action ("refuse" or "hold"), its domain, and the words that say why.
local function domain_rule(key, domains)
  local names = {}
  for name in string.gmatch(domains, '%S+') do
    names[#names + 1] = name
  end
  local stored = #names > 0 and redis.call('HMGET', key, unpack(names)) or {}
  for i = 1, #names do
    local is_readable, rule = pcall(cjson.decode, stored[i] or '')
    if is_readable and type(rule) == 'table' then
      return rule.action, names[i], tostring(rule.why)
    end
  end
end

-- The number of the next revision of an article: every change of what its form shows gives it another.
local function next_revision(revision)
  return string.format('%d', (tonumber(string.match(revision or '', '^%d+$') or '') or 0) + 1)
end

-- The names in a field of groups with one space between them: another program may have written more.
local function group_names(field)
  local names = {}
  for name in string.gmatch(field or '', '%S+') do
    names[#names + 1] = name
  end
  return table.concat(names, ' ')
end

-- Return the place of the first key of the group that is named in ARGV[i]; the first group is named in
-- ARGV[first_argument], and its keys begin at KEYS[first_key].
local function group_key(i, first_argument, first_key)
  return first_key + GROUP_KEYS * (i - first_argument)
end

-- Check the types of the keys of each group named in ARGV from first_argument on.
local function check_groups(first_argument, first_key)
  for i = first_argument, #ARGV do
    local at = group_key(i, first_argument, first_key)
    check_types(at, at, 'set')
    check_types(at + 1, at + 3, 'zset')
  end
end

-- Put an article into the group whose set is KEYS[at] and whose rankings are the next three.
local function enter_group(at, place)
  redis.call('SADD', KEYS[at], place.member)
  redis.call('PERSIST', KEYS[at])
  rank(KEYS[at + 1], place.time, place.member)
  rank(KEYS[at + 2], place.points, place.member)
  rank_best(KEYS[at + 3], place)
end

-- Take an article out of the group whose set is KEYS[at].
local function leave_group(at, member)
  redis.call('SREM', KEYS[at], member)
  for i = at + 1, at + 3 do
    redis.call('ZREM', KEYS[i], member)
  end
end

-- Put an article into every group named in ARGV from first_argument on, or take it out of them.
local function enter_groups(first_argument, first_key, place)
  for i = first_argument, #ARGV do
    enter_group(group_key(i, first_argument, first_key), place)
  end
end

-- Put an article that was in no list into those groups named in ARGV from first_argument on that the set at groups_key
-- has: a group may have been deleted meanwhile. Returns their names.
local function enter_existing_groups(groups_key, first_argument, first_key, place)
  local names = {}
  for i = first_argument, #ARGV do
    if redis.call('SISMEMBER', groups_key, ARGV[i]) == 1 then
      enter_group(group_key(i, first_argument, first_key), place)
      names[#names + 1] = ARGV[i]
    end
  end
  return table.concat(names, ' ')
end

local function leave_groups(first_argument, first_key, member)
  for i = first_argument, #ARGV do
    leave_group(group_key(i, first_argument, first_key), member)
  end
end

-- Compute the groups of an article after a change. field is the article's field now; of the names in ARGV from
-- first_argument on, the first add_count are to be added and the others removed.
-- Returns the names that remain, a table of name to whether the article is in it, and those names to add that are no
-- groups (KEYS[groups_key] holds all groups).
local function plan_groups(field, first_argument, add_count, groups_key)
  local unknown, in_group, names, remaining = {}, {}, {}, {}
  for name in string.gmatch(field or '', '%S+') do
    in_group[name] = true
    names[#names + 1] = name
  end
  for i = first_argument, #ARGV do
    local adds = i - first_argument + 1 <= add_count
    if adds and redis.call('SISMEMBER', KEYS[groups_key], ARGV[i]) == 0 then
      unknown[#unknown + 1] = ARGV[i]
    elseif adds and not in_group[ARGV[i]] then
      names[#names + 1] = ARGV[i]
    end
    in_group[ARGV[i]] = adds
  end
  for i = 1, #names do
    if in_group[names[i]] then
      remaining[#remaining + 1] = names[i]
    end
  end
  return remaining, in_group, unknown
end

-- Put an article into each group named in ARGV from first_argument on, or take it out, as in_group says. The keys of
-- the first group begin at KEYS[first_key]. Returns the names that were added and those that were removed.
local function move_groups(first_argument, first_key, in_group, place)
  local added, removed = {}, {}
  for i = first_argument, #ARGV do
    local at = group_key(i, first_argument, first_key)
    local was_in_group = redis.call('SISMEMBER', KEYS[at], place.member) == 1
    if in_group[ARGV[i]] then
      enter_group(at, place)
      if not was_in_group then added[#added + 1] = ARGV[i] end
    else
      leave_group(at, place.member)
      if was_in_group then removed[#removed + 1] = ARGV[i] end
    end
  end
  return table.concat(added, ' '), table.concat(removed, ' ')
end

-- Remember under which link an article is found, for as long as a second posting of it is a duplicate.
local function remember_link(key, time, seconds, member)
  redis.call('ZADD', key, exact(time), member)
  local newest = redis.call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2]
  redis.call('EXPIREAT', key, string.format('%d', math.ceil(tonumber(newest) + seconds)))
end

-- Tell whether a member with this role and ban, as stored, counts as an admin: one who is banned for good cannot act.
local function is_admin(role, banned, until_time)
  return role == 'admin' and ((banned or '0') == '0' or finite(until_time or '') ~= nil)
end

-- Tell whether the set of admins KEYS[at] has nobody but this name.
local function is_last_admin(at, name)
  return redis.call('SCARD', KEYS[at]) - redis.call('SISMEMBER', KEYS[at], name) < 1
end

-- Put a name into the set of admins KEYS[at], or take it out.
local function set_admin(at, name, is_member)
  if is_member then
    redis.call('SADD', KEYS[at], name)
    redis.call('PERSIST', KEYS[at])
  else
    redis.call('SREM', KEYS[at], name)
  end
end

-- The value of an open session is "<unix time at which it began>,<seconds until its last noted use>,<seconds until the
-- member last gave their password, empty if never>,<browser>", with ",*" at the end of one that began before sessions
-- were stored. That of an ended one is "-<unix time until which it is remembered>". A session that is not used ends
-- after idle seconds, any after longest seconds, and a use is not noted again within pause seconds.

-- Return the unix time at which a session ends, or the memory of an ended one; 0 for a value that is none.
local function session_end(value, idle, longest)
  local began, used = string.match(value, '^(%d+),(%d+),')
  if not began then
    return tonumber(string.match(value, '^%-(%d+)$')) or 0
  end
  return began + math.min(used + tonumber(idle), tonumber(longest))
end

-- Find the session of a digest in KEYS[at]. Returns its value and, if its last use must be noted, the value to store for
-- note_session(); nil if it has ended, or belongs to another session id of the member.
local function find_session(at, member_session, digest, idle, longest, pause)
  local of, value = unpack(redis.call('HMGET', KEYS[at], 'of', digest))
  local began, used, rest = string.match(value or '', '^(%d+),(%d+),(.*)$')
  local time = tonumber(now())
  if of ~= member_session or not began or session_end(value, idle, longest) <= time then
    return nil
  end
  if time - began - used >= tonumber(pause) then
    return value, string.format('%d,%d,%s', began, math.floor(time - began), rest)
  end
  return value
end

-- Keep the sessions in KEYS[at] until the last of them has ended.
local function keep_sessions(at, ends)
  if redis.call('TTL', KEYS[at]) < ends - tonumber(now()) then
    redis.call('EXPIREAT', KEYS[at], string.format('%d', math.ceil(ends)))
  end
end

-- Store the value that find_session() returned to be noted, if any. A full server does not stop the act that uses the
-- session.
local function note_session(at, digest, value, idle, longest)
  if value and type(redis.pcall('HSET', KEYS[at], digest, value)) ~= 'table' then
    keep_sessions(at, session_end(value, idle, longest))
  end
end

-- Scripts that could act again over somebody else's act, if they are sent again because an answer was lost, begin their
-- ARGV with three arguments: how many of the last KEYS belong to the act (0: neither remembered nor logged), for how
-- many seconds its answer is remembered, and its log entry as JSON, or "" if it is not logged. Those keys are
-- done:<token>, with another token for each act; if it is logged, log-entries: and the lists of ids that index it.

-- Return the answer that this act has had before, else nil. Called before the script decides anything.
local function answer_before()
  local count = tonumber(ARGV[1])
  local answer = count > 0 and redis.call('GET', KEYS[#KEYS - count + 1])
  return answer and cjson.decode(answer) or nil
end

-- Remember and return the answer of an act that has been done: sent again, it changes nothing.
local function done(answer)
  local count = tonumber(ARGV[1])
  if count > 0 then
    redis.call('SET', KEYS[#KEYS - count + 1], cjson.encode(answer), 'EX', ARGV[2])
  end
  return answer
end

-- The places of the fields in a log entry, which is an array of strings; PACKED_FIELDS in moderation_log.py names all.
local KIND, TIME, ABOUT, ARTICLE, ADDED, REMOVED, UNDOES, UNDONE, COMMENT, UNTIL =
  1, 3, 4, 5, 8, 9, 10, 11, 12, 15
-- Entries after one that is to be undone: more in the minutes that undoing is offered for is no usual site.
local MAX_LATER_ENTRIES = 1000

-- Return the key of the log's entries.
local function log_entries_key()
  return KEYS[#KEYS - tonumber(ARGV[1]) + 2]
end

-- Return the log entry with this id, or nil.
local function read_log_entry(key, id)
  local text = redis.call('LINDEX', key, id - 1)
  return text and text ~= '' and cjson.decode(text) or nil
end

-- Store a member's report of an article or a comment, whose name in the member's own set is what, and queue it.
local function store_report(queue_key, report_key, reported_key, member, what, reporter, json)
  local report = cjson.decode(json)
  report.time = tonumber(now())
  redis.call('SADD', reported_key, what)
  redis.call('HSET', report_key, reporter, cjson.encode(report))
  redis.call('ZADD', queue_key, redis.call('HLEN', report_key), member)
end

-- Store a log entry in place of the one with this id, or, with no id, as the newest; return its id as text.
local function store_log_entry(key, entry, id)
  local last = #entry
  while entry[last] == '' do
    entry[last], last = nil, last - 1
  end
  local text = cjson.encode(entry)
  if id then
    redis.call('LSET', key, id - 1, text)
  else
    id = redis.call('RPUSH', key, text)
  end
  return string.format('%d', id)
end

-- Mark an entry as undone; tell whether there is one that was not.
local function mark_undone(key, id)
  local entry = read_log_entry(key, id)
  if not entry or (entry[UNDONE] or '') ~= '' then
    return false
  end
  for i = #entry + 1, UNDONE - 1 do
    entry[i] = ''
  end
  entry[UNDONE] = '1'
  store_log_entry(key, entry, id)
  return true
end

-- Raise an error, before anything is written, when a key of the log is of a wrong type.
local function check_log()
  if ARGV[3] ~= '' then
    check_types(#KEYS - tonumber(ARGV[1]) + 2, #KEYS, 'list')
  end
end

-- Tell whether a later log entry decided anew what an earlier one had decided: whether the article is listed, in which
-- of these groups it is, or whether the member is banned.
local function overrules(later, earlier)
  if (later[ARTICLE] or '') ~= (earlier[ARTICLE] or '') or (later[COMMENT] or '') ~= (earlier[COMMENT] or '') then
    return false
  elseif earlier[KIND] == 'remove' then
    return later[KIND] == 'remove' or later[KIND] == 'restore'
  elseif earlier[KIND] == 'ban' then
    return is_name_of(later[ABOUT], earlier[ABOUT] or '')
      and (later[KIND] == 'ban' or later[KIND] == 'unban')
  end
  local changed = {}
  for name in string.gmatch((earlier[ADDED] or '') .. ' ' .. (earlier[REMOVED] or ''), '%S+') do
    changed[name] = true
  end
  for name in string.gmatch((later[ADDED] or '') .. ' ' .. (later[REMOVED] or ''), '%S+') do
    if changed[name] then
      return true
    end
  end
  return false
end

-- Tell whether the entry that this act undoes, if it undoes one, is still in force: it exists, was not undone, and no
-- later act overruled it. An undone act and the one that undid it cancel each other.
local function is_in_force()
  local undoes = tonumber(ARGV[3] ~= '' and cjson.decode(ARGV[3])[UNDOES] or '')
  if not undoes then
    return true
  end
  local key, cancelled = log_entries_key(), {}
  local entry = read_log_entry(key, undoes)
  local later = redis.call('LRANGE', key, undoes, undoes + MAX_LATER_ENTRIES)
  if not entry or (entry[UNDONE] or '') ~= '' or #later > MAX_LATER_ENTRIES then
    return false
  end
  for i = #later, 1, -1 do
    local other = later[i] ~= '' and not cancelled[undoes + i] and cjson.decode(later[i])
    local undone = other and tonumber(other[UNDOES] or '')
    if undone and undone > undoes then
      cancelled[undone] = true
    elseif other and overrules(other, entry) then
      return false
    end
  end
  return true
end

-- Write the act into the log, with the groups that it added and removed, and the end of a ban. Returns the id of the
-- entry, nil without a log.
local function write_log_entry(added, removed, until_time)
  if ARGV[3] == '' then
    return
  end
  local first, entry = #KEYS - tonumber(ARGV[1]) + 2, cjson.decode(ARGV[3])
  local undoes = tonumber(entry[UNDOES])
  entry[TIME], entry[ADDED], entry[REMOVED], entry[UNTIL] = now(), added or '', removed or '', until_time or ''
  local id = store_log_entry(KEYS[first], entry)
  for i = first + 1, #KEYS do
    redis.call('RPUSH', KEYS[i], id)
  end
  if undoes then
    mark_undone(KEYS[first], undoes)
  end
  return id
end
