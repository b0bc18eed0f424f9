#!/bin/sh
# ranges.sh START END N: splits the time from START up to END into N ranges, and writes config-0.json to config-(N-1).json from
# config.json. Each reads the lists by cursor within its range, and no list by offset: the regular runs do that. Needs jq.
#   ./ranges.sh 2024-01-01 2026-01-01 8
#   seq 0 7 | xargs -P 4 -I {} env RANGE={} CONFIG=config-{}.json ./run.sh
set -eu
[ $# -eq 3 ] && [ "$3" -ge 1 ] 2> /dev/null && [ "$3" -le 10000 ] || { sed -n '2,5s/^# //p' "$0" >&2 && exit 2; }
index=0
while [ "$index" -lt "$3" ]; do
  # with its owner and mode, since it contains the secret
  cp -p config.json "config-$index.new"
  jq --arg first "$1" --arg last "$2" --argjson count "$3" --argjson index "$index" '
    def seconds: (if test("T") then . else . + "T00:00:00Z" end) as $time | ($time | fromdateiso8601)
      # February 30 would be March 2
      | if todate == $time then . else error("\($time) is not a date such as 2025-01-31T00:00:00Z") end;
    def border($number): ($first | seconds) + ((($last | seconds) - ($first | seconds)) * $number / $count | floor);
    if border(0) >= border(1) then error("START must be before END") else . end
    # both dates of a config are inclusive, so a range ends one nanosecond before the next one
    | { start_date: (border($index) | todate), end_date: (border($index + 1) - 1 | todate | sub("Z$"; ".999999999Z")) } as $dates
    # what is null or "" counts as absent, as for the connector
    | walk(if type == "object" then with_entries(select(.value != null and (.value != "" or .key == "token_cache"))) else . end)
    | del(.assets)
    | if .alarms then .alarms += $dates else . end
    | if .lists then .lists |= map(select(.paging == "cursor") + $dates) else . end
    | if .alarms or (.lists // [] | length > 0) then . else error("config.json has no list by cursor") end
  ' config.json > "config-$index.new" || { rm "config-$index.new" && exit 1; }
  mv "config-$index.new" "config-$index.json"
  index=$((index + 1))
done
