-- Turns the outputs of run.sh into tables, one for each list in config.json. Needs the `duckdb` command, version 1.4 or later:
--   cd /srv/trailer-data && duckdb fleet.duckdb < tables.sql
-- Run it as often as you like, also during a read or after a killed one. It loads the outputs that are new, and the newest again.
-- A list read by offset becomes the rows of its latest complete read; any other list becomes each of its rows once.
.bail on
BEGIN;
CREATE SCHEMA IF NOT EXISTS raw;
-- RECORD has the text of a row as the API sent it, STARTED and COMPLETE mark a read, STATE says whether the next read continues it
CREATE TABLE IF NOT EXISTS raw.messages (file VARCHAR, line BIGINT, stream VARCHAR, kind VARCHAR, text VARCHAR, continues BOOLEAN);
-- the kinds of values that each field has had, and the most digits before and after the decimal point
CREATE TABLE IF NOT EXISTS raw.fields (stream VARCHAR, name VARCHAR, place BIGINT, kind VARCHAR, digits BIGINT, scale BIGINT);

CREATE OR REPLACE TEMP TABLE lists AS
WITH config AS (SELECT content::JSON AS config FROM read_text('config.json'))
SELECT 'assets' AS stream, 'offset' AS paging, 'assetId' AS key, NULL AS created FROM config WHERE (config->'assets') IS NOT NULL
UNION ALL
SELECT 'alarms', 'cursor', nullif(config->>'$.alarms.id_field', ''), coalesce(nullif(config->>'$.alarms.created_field', ''), 'createdDate')
FROM config WHERE (config->'alarms') IS NOT NULL
UNION ALL
SELECT list->>'name', list->>'paging', list->>'id_field', list->>'created_field'
FROM (SELECT unnest((config->'lists')::JSON[]) AS list FROM config);

-- DuckDB would read numbers as doubles, so each number becomes a text that begins with U+FDD0, a code that no text contains.
-- It refuses a row with half a surrogate pair, so that becomes U+FFFD.
CREATE OR REPLACE TEMP MACRO readable(text) AS
  if(json_valid(text), text, regexp_replace(text, '\\u[dD][89a-fA-F][0-9a-fA-F]{2}', '\\ufffd', 'g'));
CREATE OR REPLACE TEMP MACRO fields_of(text) AS json_transform(
  regexp_replace(readable(text), '((?:"(?:[^"\\]|\\.)*"|[^"0-9-])*)([-+.0-9eE]*)', '\1"' || chr(64976) || '\2"', 'g')[:-4],
  '"MAP(VARCHAR, JSON)"'
);
CREATE OR REPLACE TEMP MACRO text_of(value) AS ltrim(value->>'$', chr(64976));
CREATE OR REPLACE TEMP MACRO json_of(value) AS regexp_replace(value, '"' || chr(64976) || '([^"]*)"', '\1', 'g')::JSON;

-- A run writes to the newest output only, so older ones that are loaded do not change.
SET VARIABLE files = (
  SELECT coalesce(list(file ORDER BY file), error('run this in the folder of out-*.jsonl: none of them is new'))
  FROM glob('out-*.jsonl')
  WHERE parse_filename(file) >= (SELECT coalesce(max(file), '') FROM raw.messages)
);
DELETE FROM raw.messages WHERE file IN (SELECT parse_filename(unnest(getvariable('files'))));
INSERT INTO raw.messages
WITH lines AS ( -- a line that was cut off inside a character is an error, and is ignored
  SELECT parse_filename(filename) AS file, row_number() OVER () AS line, text
  FROM read_csv(
    getvariable('files'), columns = {'text': 'VARCHAR'}, delim = E'\x01', quote = '', escape = '', header = false,
    auto_detect = false, max_line_size = 70000000, filename = true, ignore_errors = true
  )
), messages AS MATERIALIZED (
  SELECT
    file, line, 'RECORD' AS kind, false AS continues,
    split_part(text, '"', 10) AS stream, text[strpos(text, '"data":') + 7:-3] AS text
  FROM lines WHERE starts_with(text, '{"type":"RECORD",')
  UNION ALL
  SELECT file, line, regexp_extract(text, '"status":"(STARTED|COMPLETE)"', 1), false, regexp_extract(text, '"name":"(\w+)"', 1), NULL
  FROM lines WHERE starts_with(text, '{"type":"TRACE","trace":{"type":"STREAM_STATUS",')
  UNION ALL
  SELECT file, line, 'STATE', contains(text, '"anchors":["'), regexp_extract(text, '"name":"(\w+)"', 1), NULL
  FROM lines WHERE starts_with(text, '{"type":"STATE",')
)
SELECT file, line, stream, kind, text, continues FROM messages
WHERE kind <> '' AND (text IS NULL OR json_valid(readable(text))); -- a line that was cut off is ignored

-- The reads of each list: a read goes on after a killed one if its output begins with a state that says so.
CREATE OR REPLACE TEMP TABLE latest AS
WITH marks AS (
  SELECT *,
    last_value(CASE WHEN kind = 'STATE' THEN continues END IGNORE NULLS) OVER (PARTITION BY stream, file ORDER BY line) AS resumes
  FROM raw.messages WHERE kind <> 'RECORD'
), reads AS (
  SELECT *, count_if(kind = 'STARTED' AND resumes IS NOT true) OVER (PARTITION BY stream ORDER BY file, line) AS read FROM marks
), complete AS (
  SELECT stream, read, min({'file': file, 'line': line}) FILTER (kind = 'STARTED') AS first, max({'file': file, 'line': line}) AS last
  FROM reads GROUP BY ALL HAVING bool_or(kind = 'COMPLETE')
)
SELECT stream, max(first) AS first, max(last) AS last FROM complete JOIN lists USING (stream) WHERE paging = 'offset' GROUP BY stream;

DELETE FROM raw.messages USING latest
WHERE messages.stream = latest.stream AND kind = 'RECORD' AND {'file': file, 'line': line} < first;

CREATE OR REPLACE TEMP TABLE parsed AS
SELECT stream, file, line, text, key, fields_of(text) AS fields
FROM raw.messages JOIN lists USING (stream) LEFT JOIN latest USING (stream)
WHERE kind = 'RECORD' AND (paging = 'cursor' OR {'file': file, 'line': line} BETWEEN first AND last);

CREATE OR REPLACE TEMP TABLE rows AS
SELECT stream, arg_max(fields, (file, line)) AS fields FROM parsed
GROUP BY stream, CASE WHEN regexp_matches(fields[key], '^".+"$') THEN fields[key]::VARCHAR ELSE text END;

CREATE OR REPLACE TABLE raw.fields AS
WITH members AS (
  SELECT
    stream, unnest(map_keys(fields)) AS name, unnest(map_values(fields)) AS value,
    generate_subscripts(map_keys(fields), 1) AS place
  FROM rows
), texts AS (
  SELECT stream, name, place, value, text_of(value) AS text FROM members
), kinds AS (
  SELECT stream, name, place, text, CASE
    WHEN value IS NULL THEN NULL
    WHEN starts_with(value, '"' || chr(64976)) THEN CASE
      WHEN NOT regexp_full_match(text, '-?\d+') OR try_cast(text AS HUGEINT) IS NULL THEN 'decimal'
      ELSE if(try_cast(text AS BIGINT) IS NULL, 'long integer', 'integer')
    END
    WHEN value IN ('true', 'false') THEN 'boolean'
    WHEN NOT starts_with(value, '"') THEN 'nested'
    WHEN regexp_full_match(text, '\d{4}-\d\d-\d\d') AND try_cast(text AS DATE) IS NOT NULL THEN 'date'
    WHEN NOT regexp_full_match(text, '\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,6}0*)?(Z|[+-]\d\d:?\d\d)?') THEN 'text'
    WHEN try_cast(text AS TIMESTAMP) IS NULL THEN 'text'
    ELSE if(regexp_matches(text, '(Z|[+-]\d\d:?\d\d)$'), 'time', 'local time')
  END AS kind
  FROM texts
), numbers AS (
  SELECT stream, name, place, kind, if(kind IN ('integer', 'long integer', 'decimal'),
    regexp_extract(text, '^-?0*(\d*)\.?(\d*)(?:[eE]\+?(-?\d+))?$', ['whole', 'fraction', 'exponent']), NULL) AS parts,
    CASE parts['exponent'] WHEN '' THEN 0 ELSE coalesce(try_cast(parts['exponent'] AS INTEGER), 999) END AS exponent,
    greatest(len(parts['whole']) + exponent, 0) AS digits, greatest(len(parts['fraction']) - exponent, 0) AS scale
  FROM kinds
), seen AS (
  SELECT stream, name, place, kind, digits, scale FROM numbers
  UNION ALL FROM raw.fields
  UNION ALL SELECT stream, key, 0, NULL, NULL, NULL FROM lists
  UNION ALL SELECT stream, created, 1, NULL, NULL, NULL FROM lists
)
SELECT stream, name, min(place) AS place, kind, max(digits) AS digits, max(scale) AS scale
FROM seen WHERE name IS NOT NULL GROUP BY ALL;

-- Only a script can create tables with names and columns from data, so this query writes one.
.mode list
.headers off
.once tables-of-lists.sql
WITH columns AS (
  SELECT stream, name, min(place) AS place, list(DISTINCT kind) FILTER (kind IS NOT NULL) AS kinds,
    max(digits) AS digits, max(scale) AS scale,
    row_number() OVER (PARTITION BY stream, lower(name) ORDER BY min(place), name) AS namesake -- names of columns have no case
  FROM raw.fields GROUP BY stream, name
), typed AS (
  SELECT *, CASE
    WHEN kinds IS NULL THEN 'VARCHAR'
    WHEN kinds = ['boolean'] THEN 'BOOLEAN'
    WHEN kinds = ['date'] THEN 'DATE'
    WHEN kinds = ['local time'] THEN 'TIMESTAMP'
    WHEN kinds = ['time'] THEN 'TIMESTAMPTZ'
    WHEN kinds = ['integer'] THEN 'BIGINT'
    WHEN list_has_all(['integer', 'long integer'], kinds) THEN 'HUGEINT'
    WHEN list_has_all(['integer', 'long integer', 'decimal'], kinds)
      THEN if(digits + scale <= 38, 'DECIMAL(38, ' || scale || ')', 'VARCHAR')
    WHEN list_has_all(['date', 'local time', 'time', 'text'], kinds) THEN 'VARCHAR'
    ELSE 'JSON'
  END AS type
  FROM columns
), written AS (
  SELECT stream, place, name, format(
    if(type = 'JSON', 'json_of(fields[{}])', 'text_of(fields[{}])::' || type) || ' AS {}',
    '''' || replace(name, '''', '''''') || '''',
    '"' || replace(coalesce(nullif(name, ''), '_') || if(namesake > 1, '_' || namesake, ''), '"', '""') || '"'
  ) AS expression
  FROM typed
)
SELECT format(
  'CREATE OR REPLACE TABLE "{}" AS SELECT {} FROM rows WHERE stream = ''{}'';',
  stream, string_agg(expression, ', ' ORDER BY place, name), stream
)
FROM written JOIN lists USING (stream) GROUP BY stream ORDER BY stream;
.read tables-of-lists.sql
COMMIT;
