-- Rows that the two collections of changes.sql do not have in common; none once the copy is level.
SET 'execution.runtime-mode' = 'batch';
SET 'sql-client.execution.result-mode' = 'tableau';

CREATE TABLE customers (
  id    BIGINT,
  name  STRING,
  city  STRING,
  PRIMARY KEY (id) NOT ENFORCED
) WITH (
  'connector' = 'loam',
  'warehouse' = '/srv/loam/warehouse'
);

CREATE TABLE customers_copy (
  id    BIGINT,
  name  STRING,
  city  STRING,
  PRIMARY KEY (id) NOT ENFORCED
) WITH (
  'connector' = 'loam',
  'warehouse' = '/srv/loam/warehouse'
);

SELECT COUNT(*) AS differences FROM (
  (SELECT * FROM customers EXCEPT SELECT * FROM customers_copy)
  UNION ALL
  (SELECT * FROM customers_copy EXCEPT SELECT * FROM customers)
);

SELECT city, COUNT(*) AS customers FROM customers GROUP BY city ORDER BY city;
