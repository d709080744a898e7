package io.loam.store.metastore;

import java.sql.Connection;
import java.sql.SQLException;

/** Statements that run on one connection, for one answer. */
@FunctionalInterface
interface SqlWork<T> {
    T run(Connection connection) throws SQLException, MetastoreException;
}
