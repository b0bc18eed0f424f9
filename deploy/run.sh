#!/bin/sh
# For cron. Put it next to config.json and add to the crontab: 5 * * * * /srv/trailer-data/run.sh
# Without Docker: 5 * * * * /srv/trailer-data/run.sh /usr/bin/node /opt/source-trailer-data/dist/main.js
# Each run writes a separate file, which begins with the last states of the previous run. The exit code is the connector's,
# or 0 if another run holds the lock. Optional: METRICS_FILE (see metrics.sh) and PING_URL, called after success.
set -euC
cd "$(dirname "$0")"
exec 9>> lock
held=0
flock --nonblock --conflict-exit-code 75 9 || held=$?
[ "$held" -ne 75 ] || exit 0
[ "$held" -eq 0 ] || exit "$held"
[ $# -gt 0 ] || set -- docker run --rm -v tokens:/cache -v "$PWD:/data:ro" -w /data source-trailer-data:0.1.0

last=$(ls out-*.jsonl 2> /dev/null | tail -n 1)
out=out-$(date -u +%Y%m%dT%H%M%SZ).jsonl
while [ -e "$out" ]; do
  sleep 1
  out=out-$(date -u +%Y%m%dT%H%M%SZ).jsonl
done
# the last whole STATE of each stream
awk '/^[{]"type":"STATE".*"recordCount":[0-9]+[}][}][}]$/ {match($0, /"name":"[^"]*"/); s[substr($0, RSTART, RLENGTH)] = $0}
  END {for (name in s) print s[name]}' "${last:-/dev/null}" > "$out"
code=0
"$@" read --config config.json --state "$out" >> "$out" || code=$?
[ -z "${METRICS_FILE:-}" ] || ./metrics.sh "$out" "$code" "$METRICS_FILE" || echo "metrics.sh failed" >&2
[ "$code" -ne 0 ] || [ -z "${PING_URL:-}" ] || curl -fsS -m 10 --retry 3 -o /dev/null "$PING_URL" || echo "the ping failed" >&2
exit "$code"
