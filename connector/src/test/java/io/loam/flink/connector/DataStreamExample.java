package io.loam.flink.connector;

import io.loam.codec.key.PrimaryKey;
import io.loam.flink.operators.CollectionElement;
import io.loam.store.WarehouseOptions;

import org.apache.flink.streaming.api.datastream.DataStream;

import java.io.IOException;

/** The code of {@code docs/datastream.md}; {@link DataStreamPageTest} compares the two. */
final class DataStreamExample {
    private DataStreamExample() {}

    // example
    /** A row of some other system. */
    public record Product(String sku, String json, boolean sold) {}

    static void write(DataStream<Product> products, WarehouseOptions warehouse) throws IOException {
        DataStream<CollectionElement> changes =
                products.map(DataStreamExample::change)
                        .returns(Changes.TYPE)
                        .setParallelism(products.getParallelism()); // keeps their order
        CollectionSink.builder()
                .warehouse(warehouse)
                .collection("default", "products")
                .direct()
                .build()
                .addTo(changes);
    }

    private static CollectionElement change(Product product) {
        PrimaryKey key = PrimaryKey.ofString(product.sku());
        return product.sold() ? Changes.delete(key) : Changes.upsert(key, product.json());
    }
    // end of example
}
