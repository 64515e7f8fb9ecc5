-- Helpers that read a comment of thread:<id>, which has for each a field of its number:
-- "<parent> <votes> <base> <time> <state> <author>". The parent is 0 for none. The state is "-", or letters: d deleted,
-- r removed, R removed with its replies, q its author wants no notice of replies, e edited. The author is empty once it is
-- deleted. parse_node() in nodes.py reads the same.

-- Return the comment with this number in the thread at key, or nil if there is none that can be read.
local function read_node(key, number)
  local text = redis.call('HGET', key, number)
  local parent, votes, base, time, state, author =
    string.match(text or '', '^(%d+) (%-?%d+) (%-?%d+) ([%d.]+) (%-?%a*) (.*)$')
  return parent and { parent = tonumber(parent), votes = tonumber(votes), base = tonumber(base), time = time,
    state = state, author = author }
end

-- Tell whether a state has one of these letters.
local function has_state(node, letters)
  return string.find(node.state, '[' .. letters .. ']') ~= nil
end

-- Walk from the comment with this number up to the top level: return how many comments that are, and whether one of them was
-- removed together with its replies. A parent has a lower number than its replies; damaged data end the walk.
local function walk_up(key, number)
  local level, is_covered = 0, false
  while number > 0 do
    local node = read_node(key, number)
    level = level + 1
    if not node or node.parent >= number then
      break
    end
    is_covered = is_covered or has_state(node, 'R')
    number = node.parent
  end
  return level, is_covered
end
