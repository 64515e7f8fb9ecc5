-- Sends the requests of a file one after the other, then from the first again; tells as JSON what came of it.
-- Arguments: the file (each request after a line with its length); the status of a good answer, 0 where wrk's own
-- count of errors will do; the beginning of the places that a good answer does not lead to.
local threads, requests, at, tried = {}, {}, 0, false
bad = 0

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
  local wanted, away = tonumber(args[2]), args[3] or ''
  if wanted > 0 then
    -- Only where it is needed: it costs wrk the reading of every header.
    response = function(status, headers)
      local place = headers['location'] or headers['Location'] or ''
      if status ~= wanted or (away ~= '' and place:sub(1, #away) == away) then
        bad = bad + 1
      end
    end
  end
  io.stdout:write('ready\n')
  io.stdout:flush()
end

function request()
  if not tried then  -- wrk looks at one request before it sends any
    tried = true
    return requests[1]
  end
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  local errors, wrong = summary.errors, 0
  for _, thread in ipairs(threads) do
    wrong = wrong + thread:get('bad')
  end
  io.stdout:write(string.format(
    '{"requests": %d, "microseconds": %d, "p50": %d, "p99": %d, "errors": %d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    math.max(errors.status, wrong) + errors.connect + errors.read + errors.write + errors.timeout))
end
