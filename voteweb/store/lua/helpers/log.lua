-- The places of the fields in a log entry, which is an array of strings; LOG_FIELDS in fields.py names all.
local KIND, TIME, ABOUT, ARTICLE, TITLE, ADDED, REMOVED, UNDOES, UNDONE, COMMENT, UNTIL =
  1, 3, 4, 5, 6, 8, 9, 10, 11, 12, 15
-- Entries after one that is to be undone: more in the minutes that undoing is offered for is no usual site.
local MAX_LATER_ENTRIES = 1000

-- Return the log entry with this id, or nil.
local function read_log_entry(key, id)
  local text = redis.call('LINDEX', key, id - 1)
  return text and text ~= '' and cjson.decode(text) or nil
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

-- Tell whether the entry that an act undoes, if its own entry says that it undoes one, is still in force: it exists, was
-- not undone, and no later act overruled it. An undone act and the one that undid it cancel each other.
local function is_in_force(key, own_entry)
  local undoes = tonumber(own_entry and own_entry[UNDOES] or '')
  if not undoes then
    return true
  end
  local entry, cancelled = read_log_entry(key, undoes), {}
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

-- Write an act into the log, whose keys are log-entries: and the lists of ids that index it, with the groups that it added
-- and removed, and the end of a ban. Returns the id of the entry, nil without one.
local function write_log_entry(keys, entry, added, removed, until_time)
  if not entry then
    return
  end
  local undoes = tonumber(entry[UNDOES])
  entry[TIME], entry[ADDED], entry[REMOVED], entry[UNTIL] = now(), added, removed, until_time
  local id = store_log_entry(keys[1], entry)
  for i = 2, #keys do
    redis.call('RPUSH', keys[i], id)
  end
  if undoes then
    mark_undone(keys[1], undoes)
  end
  return id
end
