-- Set when the voters of a block of comments expire: some time after the conversation ends. If voters were lost, which
-- the missing 0 tells, forget the others: the votes stay, and voting on these comments is over.
-- KEYS  1 thread:<id>  2 voted-comments:<id>-<block>
-- ARGV  1 block  2 seconds that the set of voters outlives the conversation  then members of the set, to remove those
--       that stand for no vote on a comment of the block
-- Answers  repaired | unchanged | unrepairable (nothing tells when the conversation ends)
local block, grace = tonumber(ARGV[1]), tonumber(ARGV[2])
local closes, last = unpack(redis.call('HMGET', KEYS[1], 'closes', 'last'))
check_types(2, 2, 'set')
closes, last = tonumber(string.match(closes or '', '^%d+$') or ''), tonumber(last or '') or 0
if not closes then
  return { 'unrepairable' }
end
local changed = false
for i = 3, #ARGV do
  local number = math.floor((tonumber(ARGV[i]) or 0) / VOTER_FACTOR)
  local is_vote = string.match(ARGV[i], '^[1-9]%d*$') and tonumber(ARGV[i]) % VOTER_FACTOR > 0
    and math.floor(number / VOTER_BLOCK) == block and number >= 1 and number <= last
  if ARGV[i] ~= '0' and not is_vote then
    changed = redis.call('SREM', KEYS[2], ARGV[i]) == 1 or changed
  end
end
local expires = redis.call('PEXPIRETIME', KEYS[2])
if redis.call('SISMEMBER', KEYS[2], 0) == 0 and tonumber(now()) < closes then
  for number = block * VOTER_BLOCK, math.min(last, (block + 1) * VOTER_BLOCK - 1) do
    local node = read_node(KEYS[1], number)
    if node and node.base ~= node.votes then
      node.base = node.votes
      redis.call('HSET', KEYS[1], number, node_text(node))
      changed = true
    end
  end
  if changed then
    next_thread_revision(KEYS[1])
  end
  changed = redis.call('UNLINK', KEYS[2]) == 1 or changed
elseif expires ~= -2 and expires < 1000 * (closes + grace - 1) then
  redis.call('EXPIREAT', KEYS[2], string.format('%d', closes + grace))
  changed = true
end
return { changed and 'repaired' or 'unchanged' }
