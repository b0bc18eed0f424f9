#!/bin/sh
# run.sh [--full] [PROGRAM…]: one read, whose output is saved as out-TIME.jsonl. The next run resumes from it. Put this file next to
# config.json and add a line to the crontab, the first one with Docker, the second one without:
#   5 * * * * /srv/trailer-data/run.sh
#   5 * * * * /srv/trailer-data/run.sh /usr/bin/node /opt/source-trailer-data/dist/main.js
# --full reads every row again. The exit code is that of the connector. If another run holds the lock, it is 0, or 75 for --full and
# ranges, which are not made up for by that run.
# Variables: CONFIG (config.json), FOLDER for the outputs (that of this file), KEEP_DAYS (for ever), RANGE (see ranges.sh),
# METRICS_FILE (see metrics.sh) and PING_URL, called after success.
set -euC
unset CDPATH
(: >&2) || exec 2> /dev/null
say() { echo "run.sh: $*" >&2; }
full=
for word; do
  shift
  [ "$word" != --full ] || { full=yes && continue; }
  # a file of the program is one in the folder of the caller, if it is there
  case $word in
    /*) ;;
    */*) [ ! -e "$word" ] || word=$PWD/$word ;;
  esac
  set -- "$@" "$word"
done
case ${1:-} in
  -h | --help) sed -n '2,9s/^# //p' "$0" && exit ;;
  -*) say "$1 is no option; --help shows how to use this" && exit 2 ;;
esac
scripts=$(cd "$(dirname "$0")" && pwd)
cd "${FOLDER:-$scripts}"
config=${CONFIG:-config.json}
[ -n "${CONFIG:-}" ] || [ -e "$config" ] ||
  { say "$PWD has no config.json. Set FOLDER to the folder of the outputs, or CONFIG" && exit 2; }
[ $# -gt 0 ] || set -- docker run --rm -v tokens:/cache -v "$PWD:/data:ro" -w /data source-trailer-data:0.3.0
case ${KEEP_DAYS:-forever} in
  forever) ;;
  *[!0-9]*) say "KEEP_DAYS must be a number of days, or forever" && exit 2 ;;
esac
# The names that this run may make, rename and delete, which its lock protects, and those from which it may resume. The names of a range
# come before those of regular runs.
own='[1-9][0-9]{7}' known='[0-9]{8}' now=$(date -u +%Y%m%dT%H%M%SZ) lock=lock busy=0
case ${RANGE:-} in
  '') ;;
  *[!0-9]* | ?????*) say "RANGE must be a number from 0 to 9999" && exit 2 ;;
  *) own=$(printf '%8s' "$RANGE" | tr ' ' 0) && known=$own now=${own}T000000Z lock=lock-$own busy=75 ;;
esac

exec 9>> "$lock"
held=0
flock --nonblock --conflict-exit-code 75 9 || held=$?
[ -z "$full" ] || busy=75
[ "$held" -ne 75 ] || [ "$busy" -eq 0 ] || say "another run is under way"
[ "$held" -ne 75 ] || exit "$busy"
[ "$held" -eq 0 ] || exit "$held"
if [ -n "${RANGE:-}" ]; then
  # A state says up to where its range has been read, not from where. Of other dates, it would leave out some.
  dates=$(LC_ALL=C grep -oE '"(start|end)_date" *: *"[^"]*"' "$config" 2> /dev/null) || true
  [ -s "$lock" ] || printf '%s\n' "$dates" >&9
  if [ "$dates" != "$(cat "$lock")" ]; then
    say "$config has other dates than range $RANGE had before. Set another RANGE, or delete $lock and, once they are loaded, out-$own*"
    exit 2
  fi
fi

# names of outputs of some days, newest first
outputs() { printf '%s\n' out-* | LC_ALL=C grep -E "^out-$1T[0-9]{6}Z\\.$2\$" | LC_ALL=C sort -r; }
# The last STATE of each stream. None counts that comes after zero bytes, as a power cut leaves them: rows before it may be missing.
# If they are among the states at the beginning, the place of some stream is missing, and no state counts.
states_in() {
  LC_ALL=C tr '\000' '\001' < "$1" | LC_ALL=C awk '/\001/ {hollow = 1; if (!rows) split("", s)} hollow {next} {sub(/\r$/, "")}
    !/^[{]"type":"STATE"/ {rows = 1}
    /^[{]"type":"STATE".*"recordCount":[0-9]+[}][}][}]$/ {match($0, /"name":"[^"]*"/); s[substr($0, RSTART, RLENGTH)] = $0}
    END {for (name in s) print s[name]}'
}
# An output becomes final by its name. One without a state is dropped: the next read returns its rows again.
finish() {
  found=$(states_in "$1") || return 0
  [ -n "$found" ] || { rm "$1" && return; }
  sync "$1" 2> /dev/null || true
  mv "$1" "${1%.part}.jsonl"
}

# what killed runs left
outputs "$own" new | while read -r left; do rm "$left"; done
outputs "$own" part | while read -r part; do finish "$part"; done

# Each name is greater than the last one, whatever the clock says.
last=$(outputs "$known" jsonl | head -n 1)
name=$(echo "$now $last" | LC_ALL=C awk '{gsub(/[^0-9 ]/, ""); if (NF > 1 && $1 <= $2) $1 = $2 + 1
  number = sprintf("%014.0f", $1); print "out-" substr(number, 1, 8) "T" substr(number, 9) "Z"}')
# It begins with the states of the newest output that has any. A file with a part of them is never used.
from= states= rows=
if [ -z "$full" ]; then
  from=$(outputs "$known" jsonl | while read -r output; do
    [ -s "$output" ] || [ ! -e "$output" ] || continue
    [ -r "$output" ] && [ -z "$(states_in "$output")" ] || { echo "$output" && break; }
  done)
  [ -z "$from" ] || [ -r "$from" ] || { say "cannot read $PWD/$from as user $(id -u)" && exit 1; }
  [ -n "$from" ] || rows=$(outputs "$known" jsonl | LC_ALL=C xargs -n 100 grep -la '^{"type":"RECORD"' 2> /dev/null | head -n 1)
fi
[ -z "$from" ] || states=$(states_in "$from")
if [ -n "$rows" ]; then
  say "$rows holds rows, but no output holds states to resume from. Restore the latest outputs, or read every row again: run.sh --full"
  exit 1
elif [ -n "$from" ] && [ "$from" != "$last" ]; then
  say "$last holds no states, so this run resumes from $from"
elif [ -n "$from" ] && [ "$(tr -d '\000' < "$from" | wc -c)" -ne "$(wc -c < "$from")" ]; then
  say "$from has zero bytes, so this run resumes from the states before them"
fi
# a regular run that has left an output writes into its lock
if [ -z "$from$full$rows${RANGE:-}" ] && { [ -s "$lock" ] || [ -s loaded.txt ]; }; then
  say "earlier runs have left outputs, but none with states is here (moved or compressed?), so every row is read"
fi
printf '%s' "$states${states:+
}" > "$name.new" && { sync "$name.new" 2> /dev/null || true; } && mv "$name.new" "$name.part" ||
  { say "cannot write $PWD/$name.part" && exit 1; }

# Passes SIGTERM on, and waits until the connector has ended.
child=
trap '[ -z "$child" ] || kill -TERM "$child" 2> /dev/null || true' TERM
trap : INT HUP
run() {
  code=0
  "$@" >> "$name.part" &
  child=$!
  wait "$child" 2> /dev/null || code=$?
  while [ "$code" -gt 128 ] && kill -0 "$child" 2> /dev/null; do
    code=0
    wait "$child" 2> /dev/null || code=$?
  done
  child=
}
# Prints the text of each message once, after a word.
texts() {
  LC_ALL=C awk -v before="$1" 'match($0, /"message":"([^"\\]|\\.)*"/) {
    text = substr($0, RSTART + 11, RLENGTH - 12); gsub(/\\n/, "\n", text); gsub(/\\"/, "\"", text); gsub(/\\\\/, "\\", text)
    if (!seen[text]++) print before text}' >&2
}
lines() { LC_ALL=C grep -a "^{\"type\":\"$1" "$name.part"; }
failure() { lines 'TRACE","trace":{"type":"ERROR"'; }
run "$@" read --config "$config" ${states:+--state "$name.part"}
if [ "$code" -eq 1 ] && failure | grep -q 'contains only states of .*"STATE_INVALID"'; then
  say "$from holds no state of a list in $config, so every list is read from its start"
  run "$@" read --config "$config"
fi
unread=
[ "$code" -ne 0 ] || [ "$(lines STATE | wc -l)" -gt "$(printf '%s' "$states" | grep -c '^')" ] || { unread=yes && code=1; }
[ -z "${METRICS_FILE:-}" ] || "$scripts/metrics.sh" "$name.part" "$code" "$METRICS_FILE" || say "metrics.sh failed"
# What went wrong comes last, where Kubernetes looks for it.
lines 'LOG","log":{"level":"WARN"' | grep -avE '; (retrying|resuming) in ' | texts 'WARN '
[ "$code" -eq 0 ] || [ "$code" -gt 128 ] || failure | texts ''
memory=
[ "$code" -ne 137 ] || memory=', as if memory ran out'
[ "$code" -le 128 ] || say "the connector was ended by SIG$(kill -l "$code")$memory. The next run goes on from its last state"
[ -z "$unread" ] || say "this wrote no state, so it was no read: $*"
finish "$name.part"
[ "$code" -ne 0 ] || [ -z "${PING_URL:-}" ] || curl -fsS -m 10 --retry 3 -o /dev/null "$PING_URL" || say "the ping failed"

# Outputs that tables.sql has loaded are deleted after KEEP_DAYS, but for the one from which the next run resumes.
[ ! -e "$name.jsonl" ] || from=$name.jsonl
[ ! -e "$name.jsonl" ] || [ -s "$lock" ] || echo 'A run has left an output.' 2> /dev/null >&9 || true
if [ -z "${KEEP_DAYS:-}" ]; then
  # a range beside this one may rename its output while they are listed
  QUOTING_STYLE=literal ls -ln 2> /dev/null | LC_ALL=C awk '$NF ~ /^out-.*\.jsonl$/ {n++; bytes += $5} END {if (n >= 1000 || bytes >= 1e10)
    printf "run.sh: %d outputs take %.1f GB. Set KEEP_DAYS to delete those that tables.sql has loaded\n", n, bytes / 1e9}' >&2
elif [ "$KEEP_DAYS" != forever ] && [ -z "${RANGE:-}" ] && [ -n "$from" ] && [ -e loaded.txt ]; then
  find . -maxdepth 1 -name 'out-[1-9]*.jsonl' -mmin "+$((KEEP_DAYS * 1440))" | sed 's/^..//' | grep -Fxf loaded.txt |
    grep -Fxv "$from" | while read -r output; do rm "$output"; done
fi
exit "$code"
