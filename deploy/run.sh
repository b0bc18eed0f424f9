#!/bin/sh
# For cron, as /srv/trailer-data/run.sh beside config.json; crontab: 5 * * * * /srv/trailer-data/run.sh
# Each run writes a file of its own, which begins with the states of the run before.
cd /srv/trailer-data && exec 9> lock && flock -n 9 || exit 0
last=$(ls out-*.jsonl 2> /dev/null | tail -n 1)
out=out-$(date -u +%Y%m%dT%H%M%SZ).jsonl
# the last whole STATE of each stream
awk '/^{"type":"STATE".*"recordCount":[0-9]+}}}$/ {s[/"name":"alarms"/]=$0} END {for (i in s) print s[i]}' "${last:-/dev/null}" > "$out"
docker run --rm -v tokens:/cache -v "$PWD:/data:ro" source-trailer-data:0.1.0 read --config /data/config.json --state "/data/$out" >> "$out"
