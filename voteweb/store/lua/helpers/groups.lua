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

-- Put an article into every group named in ARGV from first_argument on.
local function enter_groups(first_argument, first_key, place)
  for i = first_argument, #ARGV do
    local at = group_key(i, first_argument, first_key)
    redis.call('SADD', KEYS[at], place.member)
    redis.call('PERSIST', KEYS[at])
    rank(KEYS[at + 1], place.time, place.member)
    rank(KEYS[at + 2], place.points, place.member)
    rank_best(KEYS[at + 3], place)
  end
end
