-- Generated rows become a collection; each visit looks up the article it names. Ends by itself.
SET 'execution.runtime-mode' = 'batch';
SET 'table.dml-sync' = 'true';
SET 'sql-client.execution.result-mode' = 'tableau';

CREATE TABLE generated (
  id    INT,
  words STRING
) WITH (
  'connector' = 'datagen',
  'number-of-rows' = '1000',
  'fields.id.kind' = 'sequence',
  'fields.id.start' = '1',
  'fields.id.end' = '1000',
  'fields.words.length' = '20'
);

CREATE TABLE items (
  id    INT,
  title STRING,
  parity STRING,
  words STRING,
  PRIMARY KEY (id) NOT ENFORCED
) WITH (
  'connector' = 'loam',
  'warehouse' = '/srv/loam/warehouse',
  'fields.parity.kind' = 'keyword'
);

INSERT INTO items
SELECT id, 'item ' || CAST(id AS STRING), CASE WHEN MOD(id, 2) = 0 THEN 'even' ELSE 'odd' END, words
FROM generated;

CREATE TABLE visits (
  visit INT,
  proc AS PROCTIME()
) WITH (
  'connector' = 'datagen',
  'number-of-rows' = '300',
  'fields.visit.kind' = 'sequence',
  'fields.visit.start' = '901',
  'fields.visit.end' = '1200'
);

-- Of the visits 901 to 1200, those to 1000 find their item.
CREATE TABLE visited (
  visit  INT,
  title  STRING,
  parity STRING,
  PRIMARY KEY (visit) NOT ENFORCED
) WITH (
  'connector' = 'loam',
  'warehouse' = '/srv/loam/warehouse'
);

INSERT INTO visited
SELECT v.visit, i.title, i.parity
FROM visits AS v JOIN items FOR SYSTEM_TIME AS OF v.proc AS i ON v.visit = i.id;

SELECT parity, COUNT(*) AS visits, MIN(title) AS example FROM visited GROUP BY parity ORDER BY parity;
