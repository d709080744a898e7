package io.loam.flink.connector;

import io.loam.flink.operators.LogRecord;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Takes a record as it is; decoding it is an operator's work. */
final class LogRecordDeserializer implements KafkaRecordDeserializationSchema<LogRecord> {
    private static final long serialVersionUID = 1L;

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<LogRecord> out) {
        out.collect(
                new LogRecord(record.partition(), record.offset(), record.key(), record.value()));
    }

    @Override
    public TypeInformation<LogRecord> getProducedType() {
        return LogRecord.TYPE;
    }
}
