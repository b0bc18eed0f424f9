#!/usr/bin/env bash
# Splits history into time ranges, one config for each pod of past-job.yaml: index,start_date,end_date.
# Both dates are inclusive, so a range ends one nanosecond before the next one starts. The last range has no end.
for range in 0,,2025-06-30T23:59:59.999999999Z 1,2025-07-01T00:00:00Z,2025-12-31T23:59:59.999999999Z 2,2026-01-01T00:00:00Z,; do
  IFS=, read -r index from to <<< "$range"
  jq --arg from "$from" --arg to "$to" 'del(.assets) | .alarms.start_date = $from | .alarms.end_date = $to
    | .alarms |= with_entries(select(.value != ""))' config.json > "config-$index.json"
done
