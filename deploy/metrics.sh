#!/bin/sh
# metrics.sh OUT.jsonl EXIT_CODE FILE.prom: writes metrics of a read for the textfile collector of Prometheus' node exporter.
# They are taken from the summary, the last LOG line of a read. A killed read yields only an exit code and an end time.
set -eu
[ $# -eq 3 ] || { sed -n '2,3s/^# //p' "$0" >&2 && exit 2; }
code=$2 file=$3
trap 'rm -f "$file.$$"' EXIT
awk -v code="$code" -v now="$(date +%s)" '
  {sub(/\r$/, "")}
  /^[{]"type":"LOG".* requested, [0-9.]+ s"[}][}]$/ {summary = $0}
  function metric(name, labels, value, help) {
    if (!(name in seen)) printf "# HELP trailer_data_%s %s\n# TYPE trailer_data_%s gauge\n", name, help, name
    seen[name] = 1
    printf "trailer_data_%s%s %s\n", name, labels, value
  }
  function digits(text) {gsub(",", "", text); return text}
  # seconds since the epoch of a time such as 2026-01-31T10:00:00.125Z
  function epoch(text,    y, m) {
    y = substr(text, 1, 4); m = substr(text, 6, 2) + 0
    if (m <= 2) {y--; m += 12}
    return sprintf("%.3f", (365 * y + int(y / 4) - int(y / 100) + int(y / 400) + int((153 * (m - 3) + 2) / 5) + substr(text, 9, 2) \
      - 719469) * 86400 + substr(text, 12, 2) * 3600 + substr(text, 15, 2) * 60 + substr(text, 18))
  }
  END {
    metric("exit_code", "", code, "Exit code of the last read.")
    metric("end_timestamp_seconds", "", now, "When the last read ended.")
    if (summary == "") exit
    sub(/^.*"message":"/, "", summary)
    split(summary, half, "; ")
    # of each stream, for example: alarms 1,000 rows (incomplete, newest 2026-01-31T10:00:00.125Z, the latest of 12 late rows
    # appeared 287 s after it was created), or with: a late row appeared 287 s after it was created
    while (match(half[1], /[a-z][a-z0-9_]* [0-9,]+ rows?( [(][^)]*[)])?/)) {
      part = substr(half[1], RSTART, RLENGTH)
      half[1] = substr(half[1], RSTART + RLENGTH)
      split(part, word, " ")
      gsub(",", "", word[2])
      names[++streams] = "{stream=\"" word[1] "\"}"
      rows[streams] = word[2]
      complete[streams] = part ~ /incomplete/ ? 0 : 1
      if (match(part, /newest [^,)]*Z/)) newest[streams] = epoch(substr(part, RSTART + 7, RLENGTH - 8))
      late[streams] = part ~ /a late row/ ? 1 : 0
      if (match(part, /latest of [0-9,]+/)) late[streams] = digits(substr(part, RSTART + 10, RLENGTH - 10))
      if (match(part, /appeared [0-9,.]+ s/)) delay[streams] = digits(substr(part, RSTART + 9, RLENGTH - 11))
    }
    for (i = 1; i <= streams; i++) metric("rows", names[i], rows[i], "Rows emitted by the last read.")
    for (i = 1; i <= streams; i++) metric("complete", names[i], complete[i], "1 if the last read of the stream was complete.")
    for (i = 1; i <= streams; i++) if (i in newest)
      metric("newest_created_timestamp_seconds", names[i], newest[i], "Newest created time of the last read.")
    gsub(",", "", half[2])
    split(half[2], cost, " ")
    for (i = 1; i <= streams; i++) if (i in delay)
      metric("late_rows", names[i], late[i], "Rows that appeared after the read before had looked for them.")
    for (i = 1; i <= streams; i++) if (i in delay)
      metric("latest_row_delay_seconds", names[i], delay[i], "Time from creation to appearance of the latest row.")
    metric("requests", "", cost[1], "Requests of the last read.")
    metric("retries", "", cost[3], "Retries of the last read.")
    metric("tokens", "", cost[5], "Tokens requested by the last read.")
    metric("duration_seconds", "", cost[8], "Duration of the last read.")
  }' "$1" > "$file.$$"
mv "$file.$$" "$file"
