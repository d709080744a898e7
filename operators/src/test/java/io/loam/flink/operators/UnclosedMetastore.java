package io.loam.flink.operators;

import io.loam.store.metastore.Metastore;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** A metastore that outlives the warehouses it is part of. */
record UnclosedMetastore(Metastore delegate) {
    Metastore metastore() {
        return (Metastore)
                Proxy.newProxyInstance(
                        Metastore.class.getClassLoader(),
                        new Class<?>[] {Metastore.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("close")) {
                                return null;
                            }
                            try {
                                return method.invoke(delegate, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }
}
