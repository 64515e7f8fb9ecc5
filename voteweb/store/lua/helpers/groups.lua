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
