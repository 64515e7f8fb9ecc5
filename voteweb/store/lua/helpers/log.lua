-- The places of the fields in a log entry, which is an array of strings; PACKED_FIELDS in moderation_log.py names all.
local KIND, TIME, ABOUT, ARTICLE, TITLE, ADDED, REMOVED, UNDOES, UNDONE, COMMENT, UNTIL =
  1, 3, 4, 5, 6, 8, 9, 10, 11, 12, 15
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
