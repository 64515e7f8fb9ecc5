#!lua flags=no-writes
-- Read the voters of an article, the newest members first, or those who voted for the same articles as a member, first those
-- who voted for most of them; each with their last votes.
-- keys: voted:{article}
-- args: article voter name posted_since fields*
-- helpers: common: try
-- For a member, whose id and name are voter and name, article is 0. A poster is one of the voters of an article:
-- posted_since is the unix time from which on articles of members count among their votes.
-- Answers  <number of voters of the article, 0 for a member>, then two lists: a voter as stored and, for one who is a member,
--          the network of signing up, nil if that is not known, the last votes, and the fields of the member; and an article
--          that is among the last votes of several, with its votes
local function last_votes(id, member_name, most)
  local votes = try('ZREVRANGE', prefix .. 'open-votes:' .. id, 0, most - 1) or {}
  local own = try('ZREVRANGEBYSCORE', prefix .. 'posted:' .. member_name, '+inf', posted_since, 'LIMIT', 0, most)
  for _, member in ipairs(own or {}) do
    votes[#votes + 1] = member
  end
  return votes
end

-- The ids of members, the first to be read last; and voters that are none.
local ids, others, total = {}, {}, 0
if article ~= '0' then
  total = try('SCARD', voted_key) or 0
  for _, id in ipairs(total > 0 and redis.call('SSCAN', voted_key, 0, 'COUNT', SCANNED_VOTERS)[2] or {}) do
    if string.match(id, '^%d+$') and #id < 16 then
      ids[#ids + 1] = tonumber(id)
    else
      others[#others + 1] = { id }
    end
  end
  table.sort(ids)
else
  local counts = {}
  for _, member in ipairs(last_votes(voter, name, LAST_VOTES)) do
    local key = prefix .. 'voted:' .. string.sub(member, 9)
    local is_popular = (try('SCARD', key) or 0) > tonumber(MAX_COMPARED_VOTES)
    for _, id in ipairs(not is_popular and try('SMEMBERS', key) or {}) do
      local number = tonumber(string.match(id, '^%d+$')) or 0
      counts[number] = (counts[number] or 0) + 1
    end
  end
  for id, count in pairs(counts) do
    if count >= tonumber(MIN_COINCIDENCES) then
      ids[#ids + 1] = id
    end
  end
  table.sort(ids, function(one, other)
    return counts[one] < counts[other] or counts[one] == counts[other] and one < other
  end)
end
local last, rows, seen, shared = math.max(1, #ids - SHOWN_VOTERS + 1), others, {}, {}
local most = math.min(LAST_VOTES, math.floor(COMPARED_VOTES / math.max(1, #ids - last + 1)))
for i = #ids, last, -1 do
  local id = string.format('%d', ids[i])
  local block = prefix .. 'names:' .. string.format('%d', math.floor(ids[i] / MEMBER_BLOCK))
  local names = try('ZRANGE', block, id, id, 'BYSCORE') or {}
  rows[#rows + 1] = { id }
  if names[1] then
    local votes = last_votes(id, names[1], most)
    for _, member in ipairs(votes) do
      seen[member] = (seen[member] or 0) + 1
      if seen[member] == 2 then
        shared[#shared + 1] = { member, try('HGET', prefix .. member, 'votes') }
      end
    end
    local stored = try('HMGET', prefix .. 'user:' .. names[1], unpack(fields))
    rows[#rows] = { id, try('GET', prefix .. 'signup:' .. names[1]) or false, votes, stored or {} }
  end
end
return { total, rows, shared }
