-- Send the requests of a file in their order, from the first again after the last, and print the result as JSON.
-- Arguments: the file (for each request a line with its length, then its bytes); the expected statuses, nothing if the
-- errors that wrk counts are enough; the start of a location that a redirect must not have, or nothing.
local threads, requests, position, is_probed = {}, {}, 0, false
unexpected = 0

function setup(thread)
  threads[#threads + 1] = thread
end

function init(args)
  local file = assert(io.open(args[1], 'rb'))
  local length = file:read('*l')
  while length do
    requests[#requests + 1] = file:read(tonumber(length))
    length = file:read('*l')
  end
  file:close()
  local expected, forbidden_location = {}, args[3] or ''
  for status in args[2]:gmatch('%d+') do
    expected[tonumber(status)] = true
  end
  if next(expected) then
    -- Defined only if needed: with a response function, wrk parses the headers of every response.
    response = function(status, headers)
      local location = headers['location'] or headers['Location'] or ''
      local is_forbidden = forbidden_location ~= '' and location:sub(1, #forbidden_location) == forbidden_location
      if not expected[status] or is_forbidden then
        unexpected = unexpected + 1
      end
    end
  end
  io.stdout:write('ready\n')
  io.stdout:flush()
end

function request()
  if not is_probed then  -- wrk calls this once without sending the request
    is_probed = true
    return requests[1]
  end
  position = position % #requests + 1
  return requests[position]
end

function done(summary)
  local errors, all_unexpected = summary.errors, 0
  for _, thread in ipairs(threads) do
    all_unexpected = all_unexpected + thread:get('unexpected')
  end
  io.stdout:write(string.format(
    '{"requests": %d, "microseconds": %d, "errors": %d}\n', summary.requests, summary.duration,
    math.max(errors.status, all_unexpected) + errors.connect + errors.read + errors.write + errors.timeout))
end
