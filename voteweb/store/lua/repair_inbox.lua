-- Make a member's inbox hold each entry once and no more than it may, and what is unread be some of it.
-- KEYS  1 inbox:<name>  2 unread:<name>
-- ARGV  1 entries of an inbox  then entries that do not belong into it
-- Answers  repaired | unchanged
local size = tonumber(ARGV[1])
local unwanted, about, entries = {}, {}, {}
for i = 2, #ARGV do
  unwanted[ARGV[i]] = true
end
check_types(1, 2, 'list')
-- Keep what is wanted of a list, up to its size; tell whether that changes it.
local function keep(key, is_wanted)
  local stored, kept = redis.call('LRANGE', key, 0, size), {}
  for _, entry in ipairs(stored) do
    if #kept < size and is_wanted(entry) then
      kept[#kept + 1] = entry
    end
  end
  if redis.call('LLEN', key) == #kept then
    return false
  end
  local expires = redis.call('PEXPIRETIME', key)
  redis.call('UNLINK', key)
  if #kept > 0 then
    redis.call('RPUSH', key, unpack(kept))
  end
  if expires > 0 then
    redis.call('PEXPIREAT', key, string.format('%d', expires))
  end
  return true
end
local changed = keep(KEYS[1], function(entry)
  local what = string.match(entry, '^%a+ (%S+) %d+$')
  local is_wanted = what and not unwanted[entry] and not about[what]
  if is_wanted then
    about[what], entries[entry] = true, true
  end
  return is_wanted
end)
changed = keep(KEYS[2], function(entry)
  local is_wanted = entries[entry]
  entries[entry] = nil
  return is_wanted
end) or changed
return { changed and 'repaired' or 'unchanged' }
