-- The six workloads for wrk: `wrk -s requests.lua <url> -- R1`. The requests are made before the run, so that wrk's
-- own time stays small; each is another one than the one before, and no two that run at once write the same row.

local json = { ["Content-Type"] = "application/json" }
local text = string.rep("What a reader has to say about it. ", 12):sub(1, 400)

local makers = {
  R1 = function(n) return wrk.format("GET", "/api/post/post-" .. n) end,
  R2 = function(n) return wrk.format("GET", "/api/post?page=" .. (n % 50 + 1)) end,
  R3 = function(n) return wrk.format("GET", "/api/feed?of_week=" .. (n % 450 + 1)) end,
  R4 = function(n)
    local body = string.format('{"author_name":"Reader %d","body":"%s"}', n, text)
    return wrk.format("POST", "/api/post/post-" .. n .. "/comments", json, body)
  end,
  R5 = function(n)
    return wrk.format("PATCH", "/api/post/post-" .. n, json, string.format('{"title":"Another title of post %d"}', n))
  end,
  R6 = function(n)
    local lines = {}
    for i = 1, 10 do lines[i] = string.format('{"product_id":%d,"quantity":%d}', (n - 1) * 10 + i, i) end
    local body = string.format('{"customer":"Reader %d","lines":[%s]}', n, table.concat(lines, ","))
    return wrk.format("POST", "/api/order", json, body)
  end,
}

local requests = {}
local position = 0

function init(args)
  local make = makers[args[1]]
  -- 7919 is prime, so the numbers lead all over the table.
  for i = 1, 2000 do requests[i] = make(i * 7919 % 10000 + 1) end
end

function request()
  position = position % #requests + 1
  return requests[position]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), errors.status,
    errors.connect + errors.read + errors.write + errors.timeout
  ))
end
