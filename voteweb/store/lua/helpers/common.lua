-- Helpers: each script gets those functions in front that it uses. See connection/scripts.py.
-- Keys that only the data tell, such as the rankings of an article's groups, are built from the prefix of the site: see
-- docs/data.md. Members and stored values never carry it.

local time_of_call

-- The time of this server in unix seconds with six decimals, as text: TIME gives microseconds without leading zeros. It
-- stands still while a script runs, so each call asks once.
local function now()
  if not time_of_call then
    local t = redis.call('TIME')
    time_of_call = string.format('%d.%06d', tonumber(t[1]), tonumber(t[2]))
  end
  return time_of_call
end

-- A stored number, or nil for a text that is none, or that is beyond 2^52: no command could take what is computed from it.
local function finite(text)
  local number = tonumber(text)
  return number and math.abs(number) <= 4503599627370496 and number or nil
end

-- A number as text that reads back as the same number: Lua's own conversion keeps too few decimals.
local function exact(number)
  return string.format('%.17g', number)
end

-- Let the writes that follow happen on a server whose memory is full: it refuses a command that may take memory, unless
-- the script has written before. For acts that free memory or keep the site safe. The key is one that never expires, or
-- that gets an expiry afterwards.
local function write_when_full(key)
  redis.call('PERSIST', key)
end

-- Let the collector of Lua's garbage do less at a time, until the server forgets its scripts. The server runs it after
-- every 50th script, and the garbage of a script that stores much lies scattered among the data: on a site of a million
-- articles, one import in a hundred took up to 5.8 ms with the usual step, 200, and all at most 1.6 ms with this one.
-- Votes take as long with both.
local function collect_in_small_steps()
  collectgarbage('setstepmul', 40)
end

-- Raise an error unless a key is absent or of the wanted type. Redis undoes nothing, so scripts check every key that they
-- write before their first write: those of their first lines by check_keys().
local function check_type(key, wanted)
  local kind = redis.call('TYPE', key).ok
  if kind ~= 'none' and kind ~= wanted then
    error('WRONGTYPE ' .. key .. ' is no ' .. wanted)
  end
end

-- Tell whether a stored name is that of the member whose name is spelled so. Lua knows the case of ASCII letters alone,
-- which programs after the book and earlier versions may have stored otherwise; any other name is stored as its member
-- spells it.
local function is_name_of(stored, name)
  return stored == name or string.lower(stored or '') == string.lower(name)
end

-- Fail if a reply, or an error that pcall() caught, says that the key is on another node: while a site moves within a
-- cluster, no node can read all keys that a script builds. Other errors are of data that are not ours.
local function refuse_elsewhere(reply)
  local problem = type(reply) == 'table' and reply.err or reply
  if type(problem) == 'string' and string.find(problem, 'non local key', 1, true) then
    error(problem, 0)
  end
end

-- Return the reply of a command that reads data which another program may have written, nil if they are of a wrong type.
local function try(...)
  local reply = redis.pcall(...)
  if type(reply) == 'table' and reply.err then
    refuse_elsewhere(reply)
    return nil
  end
  return reply
end

-- Count an act in the statistics of a day. One more or less does no harm: a field that
-- another program has made no number stays as it is.
local function count_act(key, field, by)
  local count = redis.pcall('HINCRBY', key, field, by)
  if count == 1 or count == -1 then
    redis.call('EXPIRE', key, STATISTICS_SECONDS)
  end
end
