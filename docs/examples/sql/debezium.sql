-- What Debezium reads out of a database's log becomes a collection, and goes on doing so.
CREATE TABLE customers_log (
  id    BIGINT,
  name  STRING,
  city  STRING,
  PRIMARY KEY (id) NOT ENFORCED
) WITH (
  'connector' = 'kafka',
  'topic' = 'shop.customers',
  'properties.bootstrap.servers' = 'localhost:9092',
  'properties.group.id' = 'customers-to-loam',
  'scan.startup.mode' = 'earliest-offset',
  'format' = 'debezium-json'
);

CREATE TABLE customers (
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
SET 'pipeline.name' = 'customers';

INSERT INTO customers SELECT id, name, city FROM customers_log;
