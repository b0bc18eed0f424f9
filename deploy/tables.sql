-- Turns the outputs of run.sh into tables, one for each list in config.json. Needs the `duckdb` command, version 1.4 or later:
--   cd /srv/trailer-data && duckdb fleet.duckdb < tables.sql
-- Run it as often as you like. It loads each output once, whenever it appears, and says which of them lack rows. A list read by offset
-- becomes the rows of its latest complete read; any other list becomes each of its rows once. All tables change, or none.
.bail on
-- The user's ~/.duckdbrc may change which row is the latest, and what is written into the script of the tables.
.changes off
RESET default_order;
RESET default_null_order;
RESET preserve_insertion_order;
SET memory_limit = '240MB';
-- With several threads, DuckDB takes memory for each thread, and for each output.
SET threads = 1;
BEGIN;
CREATE SCHEMA IF NOT EXISTS raw;
-- RECORD has the text of a row as the API sent it, STARTED and COMPLETE mark a read, STATE says whether the next read continues it and
-- how many rows came since the last one, DAMAGED is any other line. The identity is that of the row, by its key or text, or of the state.
-- A read began when its STARTED was emitted: the name of an output only has an order.
CREATE TABLE IF NOT EXISTS raw.messages (file VARCHAR, line BIGINT, stream VARCHAR, kind VARCHAR, text VARCHAR, continues BOOLEAN);
ALTER TABLE raw.messages ADD COLUMN IF NOT EXISTS identity UHUGEINT;
ALTER TABLE raw.messages ADD COLUMN IF NOT EXISTS count BIGINT;
ALTER TABLE raw.messages ADD COLUMN IF NOT EXISTS emitted_at TIMESTAMP;
CREATE TABLE IF NOT EXISTS raw.files (file VARCHAR, size BIGINT);
-- the kinds of values that each field has had, and the most digits before and after the decimal point
CREATE TABLE IF NOT EXISTS raw.fields (stream VARCHAR, name VARCHAR, place BIGINT, kind VARCHAR, digits BIGINT, scale BIGINT);
-- how each table was made: the field that is its key, the expressions of its columns, and the end of the read that it shows
CREATE TABLE IF NOT EXISTS raw.tables (stream VARCHAR, key VARCHAR, expressions VARCHAR, shown BIGINT);

-- Names of lists begin with a letter, so those of temporary tables begin with an underscore.
CREATE OR REPLACE TEMP TABLE _lists AS
-- what is null or "" counts as absent, as for the connector, and a byte order mark as nothing
WITH config AS (
  SELECT nullif(config->>'assets', '') AS assets, nullif(config->>'alarms', '') AS alarms, nullif(config->>'lists', '') AS lists
  FROM (SELECT ltrim(content, chr(65279))::JSON AS config FROM read_text('config.json'))
)
SELECT 'assets' AS stream, 'offset' AS paging, 'assetId' AS key, NULL AS created FROM config WHERE assets IS NOT NULL
UNION ALL
SELECT 'alarms', 'cursor', nullif(alarms->>'id_field', ''), coalesce(nullif(alarms->>'created_field', ''), 'createdDate')
FROM config WHERE alarms IS NOT NULL
UNION ALL
SELECT list->>'name', list->>'paging', nullif(list->>'id_field', ''), nullif(list->>'created_field', '')
FROM (SELECT unnest(lists::JSON::JSON[]) AS list FROM config);

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

CREATE OR REPLACE TEMP MACRO path_of(key) AS '$."' || replace(key, '"', '\"') || '"';
CREATE OR REPLACE TEMP MACRO key_of(readable_text, key) AS json_extract(readable_text, path_of(key))::VARCHAR;
CREATE OR REPLACE TEMP MACRO identity_of(text, key, value) AS md5_number(coalesce(
  CASE
    WHEN value IS NULL OR value IN ('null', '""') THEN NULL
    WHEN starts_with(value, '"') THEN value
    ELSE nullif(regexp_extract(fields_of(text)[key], '^".+"$'), '')
  END,
  text
));
SET VARIABLE keys = (SELECT map_from_entries(list((stream, key))) FROM _lists);

-- The names that run.sh gives have an order. Those of other files do not, so they are left out.
CREATE OR REPLACE TEMP MACRO is_output(file) AS regexp_full_match(file, 'out-\d{8}T\d{6}Z\.jsonl');
CREATE OR REPLACE TEMP TABLE _found AS
SELECT parse_filename(filename) AS file, size, is_output(parse_filename(filename)) AS is_output FROM read_blob('out-*.jsonl');
-- Earlier versions loaded them, too, as the newest. What they loaded now comes before all outputs, which are loaded again.
SET VARIABLE others = (SELECT coalesce(list(file), []) FROM raw.files WHERE NOT is_output(file));
UPDATE raw.messages SET file = '-' || file WHERE file IN (SELECT unnest(getvariable('others')));
DELETE FROM raw.files WHERE len(getvariable('others')) > 0;
DELETE FROM raw.tables WHERE len(getvariable('others')) > 0;

-- An output that has another size than before is loaded again. Without a new one, a file is read that has none of its lines.
CREATE OR REPLACE TEMP TABLE _new AS
SELECT file, _found.size, files.file IS NOT NULL AS again FROM _found LEFT JOIN raw.files USING (file)
WHERE is_output AND files.size IS DISTINCT FROM _found.size;
SET VARIABLE files = (
  SELECT CASE WHEN (SELECT count(*) FROM _found WHERE is_output) = 0 THEN error('run this in the folder of out-*.jsonl: there is none')
    ELSE coalesce(list(file ORDER BY file), ['config.json']) END
  FROM _new
);
DELETE FROM raw.messages WHERE file IN (SELECT file FROM _new);
DELETE FROM raw.files WHERE file IN (SELECT file FROM _new);
INSERT INTO raw.files SELECT file, size FROM _new;
-- The reader of lines takes several times the memory of the longest line, and DuckDB works on 2,048 rows at a time. In parallel, its reader
-- loses a line at the end of each buffer.
SET VARIABLE needed = (
  SELECT {
    'line': greatest(2000000, max(longest) + 2),
    'megabytes': 48 * coalesce(max(bytes), 0) // 1000000 + 3 * greatest(2000000, coalesce(max(longest), 0)) // 1000000
  }
  FROM (
    SELECT sum(bytes) AS bytes, max(bytes) AS longest FROM (
      SELECT row_number() OVER () // 2048 AS part, bytes FROM (
        SELECT strlen(text) AS bytes FROM read_csv(
          getvariable('files'), columns = {'text': 'VARCHAR'}, delim = E'\x01', quote = '', escape = '', header = false, auto_detect = false,
          max_line_size = 70000000, buffer_size = 70000001, strict_mode = false, parallel = false, ignore_errors = true
        )
      )
    ) GROUP BY part
  )
);
SET VARIABLE line = (SELECT getvariable('needed').line);
SET VARIABLE buffer = (SELECT getvariable('line') + 1);
SET VARIABLE memory = (SELECT greatest(160, getvariable('needed').megabytes) || 'MB');
SET memory_limit = getvariable('memory');
INSERT INTO raw.messages
WITH lines AS (
  SELECT parse_filename(filename) AS file, row_number() OVER () AS line, text, text[strpos(text, '"data":') + 7:-3] AS data, CASE
    WHEN starts_with(text, '{"type":"RECORD",') THEN 'RECORD'
    WHEN starts_with(text, '{"type":"STATE",') THEN 'STATE'
    WHEN starts_with(text, '{"type":"TRACE","trace":{"type":"STREAM_STATUS",')
      THEN regexp_extract(text, '"status":"(STARTED|RUNNING|COMPLETE|INCOMPLETE)"', 1)
    WHEN regexp_matches(text, '^\{"type":"\w+",.*\}$') THEN 'OTHER'
    ELSE ''
  END AS kind
  FROM read_csv(
    getvariable('files'), columns = {'text': 'VARCHAR'}, delim = E'\x01', quote = '', escape = '', header = false,
    auto_detect = false, max_line_size = getvariable('line'), buffer_size = getvariable('buffer'), strict_mode = false, filename = true,
    parallel = false, store_rejects = true, rejects_table = '_unreadable', rejects_scan = '_scans'
  )
), valid AS (
  -- Each use of a JSON function takes memory for 2,048 rows. A CRLF after lines that end in LF is read as an empty line.
  SELECT *, if(kind = 'RECORD', json_valid(data), NULL) AS is_valid
  FROM lines WHERE text <> '' AND kind NOT IN ('RUNNING', 'INCOMPLETE', 'OTHER') AND file <> 'config.json'
), readable AS (
  SELECT *, if(is_valid, data, readable(data)) AS row FROM valid
), messages AS (
  SELECT file, line, data, row,
    if(kind = 'RECORD', split_part(text, '"', 10), regexp_extract(text, '"name":"(\w+)"', 1)) AS stream,
    if(if(kind = 'RECORD', ends_with(text, '}}') AND (is_valid OR json_valid(row)), kind <> '' AND json_valid(readable(text))), kind, 'DAMAGED') AS kind,
    if(kind = 'STATE', contains(text, '"anchors":["'), false) AS continues,
    if(kind = 'STATE', md5_number(text), NULL) AS identity,
    if(kind = 'STATE', regexp_extract(text, '"recordCount":(\d+)\}\}\}$', 1), NULL) AS count,
    if(kind IN ('STARTED', 'COMPLETE'), regexp_extract(text, '"emitted_at":(\d+)', 1), NULL) AS emitted
  FROM readable
), keyed AS (
  SELECT *, getvariable('keys')[stream] AS key, if(kind = 'RECORD', key_of(row, getvariable('keys')[stream]), NULL) AS value FROM messages
)
SELECT file, line, stream, kind, if(kind = 'RECORD', data, NULL), continues,
  if(kind = 'RECORD', identity_of(data, key, value), identity), try_cast(count AS BIGINT), make_timestamp(try_cast(emitted AS BIGINT) * 1000)
FROM keyed;

SET VARIABLE memory = (SELECT greatest(240, getvariable('needed').megabytes) || 'MB');
SET memory_limit = getvariable('memory');

-- of run.sh and ranges.sh, and nothing for a regular run
CREATE OR REPLACE TEMP MACRO range_of(file) AS regexp_extract(file, '^out-(0000\d{4})T', 1);

-- What the new outputs lack, and where the place of a list is before that. The states at the beginning of an output come from the one
-- before it. The last line of an output may be cut: the next read returns its row again.
CREATE TABLE IF NOT EXISTS raw.problems (file VARCHAR, problem VARCHAR);
ALTER TABLE raw.problems ADD COLUMN IF NOT EXISTS stream VARCHAR;
ALTER TABLE raw.problems ADD COLUMN IF NOT EXISTS line BIGINT;
ALTER TABLE raw.problems ADD COLUMN IF NOT EXISTS lacks_rows BOOLEAN;
DELETE FROM raw.problems WHERE file IN (SELECT file FROM _new) OR NOT is_output(file);
INSERT INTO raw.problems
WITH bodies AS (
  SELECT file, min(line) AS body, max(line) AS last, min(line) FILTER (kind = 'DAMAGED') AS damage
  FROM raw.messages WHERE file IN (SELECT file FROM _new) AND kind <> 'STATE' GROUP BY file
), states AS (
  SELECT messages.*, line < body AS is_given, damage FROM raw.messages JOIN bodies USING (file) WHERE kind = 'STATE'
), counts AS (
  SELECT file, stream, sum(count) AS counted, coalesce(min(damage), min(line)) AS line, max(line) AS last
  FROM states WHERE NOT is_given GROUP BY ALL
), present AS (
  -- the few counts are joined to the records, not the records to the counts: those of an output of 1 GB exceed the memory
  SELECT file, stream, count(*) AS rows FROM raw.messages JOIN counts USING (file, stream)
  WHERE kind = 'RECORD' AND messages.line < last GROUP BY ALL
), found AS (
  SELECT counts.*, coalesce(rows, 0) AS rows FROM counts LEFT JOIN present USING (file, stream)
), damages AS (
  SELECT bodies.file, damage, count(*) AS lines FROM raw.messages JOIN bodies USING (file)
  WHERE kind = 'DAMAGED' AND line < (SELECT max(line) FROM raw.messages AS others WHERE others.file = bodies.file) GROUP BY ALL
), read AS (
  SELECT DISTINCT file, stream FROM raw.messages WHERE file IN (SELECT file FROM _new) AND kind IN ('STARTED', 'RECORD')
)
SELECT file, format('{:,} rows of {} are missing, which its states count', counted - rows, stream), stream, line, true FROM found WHERE rows < counted
UNION ALL
SELECT file, format('{:,} lines are damaged', lines), stream, damage, false FROM damages LEFT JOIN read USING (file)
UNION ALL
SELECT file, format('{:,} lines cannot be read', lines), stream, 0, false FROM (
  SELECT file, count(DISTINCT line) AS lines FROM _unreadable JOIN _scans USING (scan_id, file_id) JOIN _new ON file = parse_filename(file_path)
  WHERE coalesce(line_byte_position + strlen(csv_line) < size, true) GROUP BY ALL
) LEFT JOIN read USING (file)
UNION ALL
SELECT file, format('it ends before its range of {} does, so that must be run again', stream), stream, max(line), true
FROM raw.messages WHERE file IN (SELECT file FROM _new) AND range_of(file) <> '' AND kind IN ('STARTED', 'COMPLETE')
GROUP BY file, stream HAVING NOT bool_or(kind = 'COMPLETE')
UNION ALL
SELECT file, format('it continues from a state of {} that no output has, so one before it is incomplete or gone', stream), stream, 0, true
FROM states ANTI JOIN raw.messages AS earlier
  ON earlier.kind = 'STATE' AND earlier.stream = states.stream AND earlier.identity = states.identity AND earlier.file < states.file
WHERE is_given AND (continues OR stream IN (SELECT stream FROM _lists WHERE paging = 'cursor'));

-- The place of a line among those of all outputs, in the order of their names.
CREATE OR REPLACE TEMP TABLE _outputs AS
SELECT file, (row_number() OVER (ORDER BY file)) << 40 AS start, file IN (SELECT file FROM _new) AS is_new
FROM (SELECT file FROM raw.files UNION SELECT DISTINCT file FROM raw.messages);

-- The reads of each list by offset: a read goes on after a killed one if its output begins with a state that says so. One that lacks rows
-- is not complete.
CREATE OR REPLACE TEMP TABLE _latest AS
WITH marks AS (
  SELECT stream, kind, start + line AS place,
    last_value(CASE WHEN kind = 'STATE' THEN continues END IGNORE NULLS) OVER (PARTITION BY stream, file ORDER BY line) AS resumes
  FROM raw.messages JOIN _outputs USING (file) JOIN _lists USING (stream)
  WHERE kind IN ('STARTED', 'COMPLETE', 'STATE') AND paging = 'offset'
), reads AS (
  SELECT *, count_if(kind = 'STARTED' AND resumes IS NOT true) OVER (PARTITION BY stream ORDER BY place) AS read FROM marks
), complete AS (
  SELECT stream, read, min(place) FILTER (kind = 'STARTED') AS first, max(place) AS last
  FROM reads GROUP BY ALL HAVING bool_or(kind = 'COMPLETE')
), gaps AS (
  SELECT stream, start + line AS place FROM raw.problems JOIN _outputs USING (file) WHERE lacks_rows
)
SELECT complete.stream, max(first) AS first, max(last) AS last
FROM complete ANTI JOIN gaps ON gaps.stream = complete.stream AND gaps.place BETWEEN first >> 40 << 40 AND last
GROUP BY complete.stream;

-- A later output has the rows that one lacks if its read began anew, or from a place that is before them, and is of no other range.
DELETE FROM raw.problems USING _outputs
WHERE problems.file = _outputs.file AND (stream, _outputs.start + line) IN (
  WITH later AS (
    SELECT file, start, stream, kind, start + messages.line AS place, identity, continues
    FROM raw.messages JOIN _outputs USING (file) WHERE kind <> 'RECORD' AND stream IN (SELECT problems.stream FROM raw.problems)
  ), bodies AS (
    SELECT file, min(place) AS body FROM later WHERE kind <> 'STATE' GROUP BY file
  ), known AS (
    SELECT stream, identity, min(place) AS place FROM later WHERE kind = 'STATE' GROUP BY ALL
  ), begun AS (
    SELECT file, start, stream FROM later WHERE kind = 'STARTED' GROUP BY ALL
  ), given AS (
    SELECT file, later.stream, known.place, continues
    FROM later JOIN bodies USING (file) JOIN known USING (stream, identity) WHERE kind = 'STATE' AND later.place < body
  ), reads AS (
    SELECT begun.stream, begun.file, begun.start, coalesce(given.place, 0) AS place
    FROM begun JOIN _lists USING (stream) LEFT JOIN given ON given.file = begun.file AND given.stream = begun.stream
    WHERE paging = 'cursor' OR continues
    UNION ALL SELECT stream, '', first, 0 FROM _latest
  )
  SELECT problems.stream, places.start + problems.line FROM raw.problems JOIN _outputs AS places USING (file)
  JOIN reads ON reads.stream = problems.stream AND reads.start > places.start + problems.line AND reads.place < places.start + problems.line
    AND range_of(reads.file) IN ('', range_of(problems.file))
);

DELETE FROM raw.messages USING _latest, _outputs
WHERE messages.stream = _latest.stream AND messages.file = _outputs.file AND kind = 'RECORD' AND start + line < first;

CREATE OR REPLACE TABLE raw.fields AS
WITH parsed AS (
  SELECT stream, fields_of(text) AS fields FROM raw.messages JOIN _lists USING (stream)
  WHERE kind = 'RECORD' AND file >= getvariable('files')[1] AND file IN (SELECT file FROM _new)
), members AS (
  SELECT
    stream, unnest(map_keys(fields)) AS name, unnest(map_values(fields)) AS value,
    generate_subscripts(map_keys(fields), 1) AS place
  FROM parsed
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
  UNION ALL SELECT stream, key, 0, NULL, NULL, NULL FROM _lists
  UNION ALL SELECT stream, created, 1, NULL, NULL, NULL FROM _lists
)
SELECT stream, name, min(place) AS place, kind, max(digits) AS digits, max(scale) AS scale
FROM seen WHERE name IS NOT NULL GROUP BY ALL;

CREATE OR REPLACE TEMP TABLE _made AS
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
  SELECT stream, place, name,
    '"' || replace(coalesce(nullif(name, ''), '_') || if(namesake > 1, '_' || namesake, ''), '"', '""') || '"' AS quoted,
    format(
      if(type = 'JSON', 'json_of(fields[{}])', 'text_of(fields[{}])::' || type) || ' AS {}',
      '''' || replace(name, '''', '''''') || '''', quoted
    ) AS expression
  FROM typed
)
SELECT stream, key, any_value(quoted) FILTER (name = key) AS key_name, paging,
  string_agg(expression, ', ' ORDER BY place, name) AS expressions, last AS shown
FROM written JOIN _lists USING (stream) LEFT JOIN _latest USING (stream) GROUP BY ALL;

-- A table is made anew if its columns, its key or the read that it shows have changed. Otherwise, new rows are added to it.
CREATE OR REPLACE TEMP TABLE _anew AS
SELECT _made.stream, tables.stream IS NULL OR _made.key IS DISTINCT FROM tables.key AS has_other_key
FROM _made LEFT JOIN raw.tables USING (stream)
WHERE (tables.key, tables.expressions, tables.shown) IS DISTINCT FROM (_made.key, _made.expressions, _made.shown)
  OR stream NOT IN (SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main' AND NOT internal)
  OR (SELECT bool_or(again) FROM _new);
UPDATE raw.messages
SET identity = identity_of(text, getvariable('keys')[stream], key_of(readable(text), getvariable('keys')[stream]))
WHERE kind = 'RECORD' AND stream IN (SELECT stream FROM _anew WHERE has_other_key) AND file NOT IN (SELECT file FROM _new);

-- The latest version of each row that belongs into a table; `known` if the table has a version already.
CREATE OR REPLACE TEMP TABLE _rows AS
WITH records AS (
  SELECT stream, identity, start + line AS place, is_new FROM raw.messages JOIN _outputs USING (file) WHERE kind = 'RECORD'
), candidates AS (
  SELECT records.* FROM records JOIN _lists USING (stream) LEFT JOIN _latest USING (stream)
  WHERE stream IN (SELECT stream FROM _anew) AND (paging = 'cursor' OR place BETWEEN first AND last)
  UNION ALL
  SELECT records.* FROM records JOIN _lists USING (stream)
  WHERE stream NOT IN (SELECT stream FROM _anew) AND paging = 'cursor' AND identity IN (
    SELECT identity FROM raw.messages WHERE kind = 'RECORD' AND file >= getvariable('files')[1] AND file IN (SELECT file FROM _new)
  )
), versions AS (
  SELECT stream, max(place) AS place, max(place) FILTER (is_new) AS new_place, bool_and(is_new) AS is_new
  FROM candidates GROUP BY stream, identity
)
SELECT stream, place, _anew.stream IS NULL AND NOT is_new AS known FROM versions LEFT JOIN _anew USING (stream)
WHERE _anew.stream IS NOT NULL OR place = new_place;

-- Only a script can create tables with names and columns from data, so this query writes one.
SET VARIABLE statements = (
  WITH sources AS (
    SELECT _made.*, '"' || stream || '"' AS name, _anew.stream IS NOT NULL AS is_anew,
      '''' || replace(coalesce(key, ''), '''', '''''') || '''' AS key_text
    FROM _made LEFT JOIN _anew USING (stream)
  ), queries AS (
    SELECT *, format(
      'SELECT {} FROM (SELECT known, fields_of(text) AS fields FROM raw.messages JOIN _outputs USING (file) JOIN _rows '
        || 'ON _rows.stream = messages.stream AND place = start + line WHERE kind = ''RECORD'' AND messages.stream = ''{}''{})',
      expressions, stream, if(is_anew, '', ' AND file >= getvariable(''files'')[1]')
    ) AS query
    FROM sources
  )
  SELECT coalesce(string_agg(CASE
    WHEN is_anew THEN format('CREATE OR REPLACE TABLE {} AS {};', name, query)
    WHEN paging = 'offset' THEN ''
    WHEN key IS NULL THEN format('INSERT INTO {} {} WHERE NOT known;', name, query)
    ELSE format(
      'CREATE OR REPLACE TEMP TABLE _added AS {0} WHERE NOT known OR regexp_matches(fields[{1}], ''^".+"$''); '
        || 'DELETE FROM {2} WHERE {3} IN (SELECT {3} FROM _added); INSERT INTO {2} FROM _added;',
      query, key_text, name, key_name
    )
  END, chr(10) ORDER BY stream), '') FROM queries
);
DELETE FROM raw.tables WHERE stream IN (SELECT stream FROM _made);
INSERT INTO raw.tables SELECT stream, key, expressions, shown FROM _made;
.mode list
.headers off
.once tables-of-lists.sql
SELECT getvariable('statements');
.read tables-of-lists.sql
COMMIT;

-- run.sh may delete these when KEEP_DAYS have passed. A database in memory keeps none of them.
SET VARIABLE is_kept = (SELECT path IS NOT NULL FROM duckdb_databases() WHERE database_name = current_database());
COPY (SELECT file FROM raw.files SEMI JOIN _found USING (file) WHERE getvariable('is_kept') ORDER BY file)
TO 'loaded.txt' (FORMAT csv, HEADER false);

SELECT DISTINCT format('{}: {}. To read every row again: run.sh --full', file, problem) FROM raw.problems WHERE file IN (SELECT file FROM _new)
UNION ALL
SELECT format('{}: left out, because its name is not one that run.sh gives', file) FROM _found WHERE NOT is_output
UNION ALL
SELECT 'loaded.txt: left empty, because this database is in memory' WHERE NOT getvariable('is_kept')
ORDER BY ALL;
