-- What wrk sends, and how it says what it saw: one line of JSON.
-- Arguments after "--": a file with the body, then "Name: value" headers.
function init(args)
	wrk.method = "POST"
	wrk.body = assert(io.open(args[1])):read("*a")
	for i = 2, #args do
		local name, value = args[i]:match("^(.-): (.*)$")
		wrk.headers[name] = value
	end
end

function done(summary, latency, requests)
	local e = summary.errors
	io.write(string.format(
		'\n{"requests":%d,"us":%d,"p50":%d,"p99":%d,"refused":%d,"broken":%d}\n',
		summary.requests, summary.duration, latency:percentile(50),
		latency:percentile(99), e.status,
		e.connect + e.read + e.write + e.timeout))
end
