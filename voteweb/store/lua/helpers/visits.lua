-- Helpers that read and write a field of seen:<name>, what a member has seen of a conversation: see docs/data.md. A range is
-- { first, last, time }; one that is empty is none.
local function add_range(ranges, first, last, time)
  if first <= last then
    ranges[#ranges + 1] = { first, last, time }
  end
end

-- Return the time of a visit, its ranges of comments up to number last that are unread, and its ranges of those that a page
-- has shown, with the time of that; nil if it is no visit. A lone number is that of a comment of the member's own. Versions
-- of layout 6 kept no ranges: they marked what they had shown after base.
local function read_visit(visit, last)
  local base, newest, time, ranges = string.match(visit or '', '^(%d+) (%d+) ([%d.]+)([%d@, -]*)$')
  if not base then
    return nil
  end
  local unread, shown, from = {}, {}, newest + 1
  time = tonumber(time)
  add_range(shown, base + 1, tonumber(newest), time)
  for first, to, shown_at in string.gmatch(ranges, '(%d+)%-?(%d*)@?(%d*)') do
    first = tonumber(first)
    if to == '' then
      add_range(unread, from, math.min(first - 1, last))
      from = math.max(from, first + 1)
    else
      shown_at = tonumber(shown_at)
      add_range(shown_at and shown or unread, first, math.min(to, last), shown_at)
    end
  end
  add_range(unread, from, last)
  return time, unread, shown
end

-- Return the ranges of unread without these numbers, which ascend. They become ranges of shown: a number between them that
-- is in both is unread.
local function show(numbers, unread, shown, time)
  local left = {}
  for _, range in ipairs(unread) do
    local from, first, last = range[1], nil, nil
    for _, number in ipairs(numbers) do
      if from <= number and number <= range[2] then
        add_range(left, from, number - 1)
        from, first, last = number + 1, first or number, number
      end
    end
    if first then
      add_range(shown, first, last, time)
    end
    add_range(left, from, range[2])
  end
  return left
end

-- Return the text of a visit with at most MAX_SEEN_RANGES. Of more, those that are shown become one, and those unread that
-- are nearest to each other: what lies between is new once more, but nothing new is lost.
local function format_visit(newest, time, unread, shown)
  local marked, limit = {}, tonumber(MAX_SEEN_RANGES)
  for _, range in ipairs(shown) do
    if time - range[3] <= tonumber(MARKED_SECONDS) then
      add_range(marked, unpack(range))
    end
  end
  if #marked > 0 and #unread + #marked > limit then
    local all = marked[1]
    for _, range in ipairs(marked) do
      all = { math.min(all[1], range[1]), math.max(all[2], range[2]), math.max(all[3], range[3]) }
    end
    marked = { all }
  end
  while #unread + #marked > limit do
    local nearest, least = 1, math.huge
    for i = 1, #unread - 1 do
      local gap = unread[i + 1][1] - unread[i][2]
      if gap < least then
        nearest, least = i, gap
      end
    end
    unread[nearest][2] = table.remove(unread, nearest + 1)[2]
  end
  local parts = { string.format('%d %d %d', newest, newest, time) }
  for _, range in ipairs(unread) do
    parts[#parts + 1] = string.format('%d-%d', range[1], range[2])
  end
  for _, range in ipairs(marked) do
    parts[#parts + 1] = string.format('%d-%d@%d', unpack(range))
  end
  return table.concat(parts, ' ')
end
