-- The changes of a collection go to a compacted topic, one record a key, and from there into another
-- collection. Run debezium.sql first; both go on.
CREATE TABLE customers (
  id    BIGINT,
  name  STRING,
  city  STRING,
  PRIMARY KEY (id) NOT ENFORCED
) WITH (
  'connector' = 'loam',
  'warehouse' = '/srv/loam/warehouse'
);

CREATE TABLE customers_topic (
  id    BIGINT,
  name  STRING,
  city  STRING,
  PRIMARY KEY (id) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'customers',
  'properties.bootstrap.servers' = 'localhost:9092',
  'properties.group.id' = 'customers-copy',
  'key.format' = 'json',
  'value.format' = 'json'
);

CREATE TABLE customers_copy (
  id    BIGINT,
  name  STRING,
  city  STRING,
  PRIMARY KEY (id) NOT ENFORCED
) WITH (
  'connector' = 'loam',
  'warehouse' = '/srv/loam/warehouse',
  'fields.city.kind' = 'keyword'
);

SET 'execution.runtime-mode' = 'streaming';

SET 'pipeline.name' = 'customers to topic';
INSERT INTO customers_topic SELECT * FROM customers /*+ OPTIONS('scan.mode' = 'full') */;

SET 'pipeline.name' = 'topic to copy';
INSERT INTO customers_copy SELECT * FROM customers_topic;
