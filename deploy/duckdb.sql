-- Loads out.jsonl: duckdb fleet.duckdb < deploy/duckdb.sql
CREATE OR REPLACE TABLE saved AS
WITH records AS (
  SELECT regexp_extract(line, '"stream":"([^"]*)"', 1) AS stream, regexp_extract(line, '"data":(.*)\}\}$', 1) AS data
  FROM read_csv('out.jsonl', columns = {'line': 'VARCHAR'}, delim = E'\x01', quote = '', escape = '', header = false, auto_detect = false, max_line_size = 70000000)
  WHERE starts_with(line, '{"type":"RECORD",')
), readable AS ( -- DuckDB rejects JSON with an unpaired surrogate, so columns are read from a copy with U+FFFD
  SELECT *, CASE WHEN json_valid(data) THEN data ELSE regexp_replace(data, '\\u[dD][89a-fA-F][0-9a-fA-F]{2}', '\\ufffd', 'g') END AS fields
  FROM records
)
SELECT * FROM readable WHERE json_valid(fields); -- drops a truncated line; the next read emits its row again

CREATE OR REPLACE VIEW alarms AS
SELECT DISTINCT
  fields->>'alarmId' AS id,
  (fields->>'sequence')::HUGEINT AS sequence,
  nullif(regexp_extract(data, '"value":(-?[0-9.]+)', 1), '')::DECIMAL(38, 20) AS value,
  data
FROM saved WHERE stream = 'alarms';
