package io.loam.flink.operators.maintain;

import io.loam.flink.operators.ValueTypeInfo;

import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.typeinfo.TypeInformation;

import java.io.Serializable;

/** Types of the streams between the operators. */
@Internal
public final class MessageTypes {
    public static final TypeInformation<TaskOrder> ORDER = of(TaskOrder.class);
    public static final TypeInformation<RoundPart> PART = of(RoundPart.class);
    public static final TypeInformation<OpenedRound> ROUND = of(OpenedRound.class);
    public static final TypeInformation<MaintenanceReport> REPORT = of(MaintenanceReport.class);
    public static final TypeInformation<CleaningReport> CLEANING = of(CleaningReport.class);

    private MessageTypes() {}

    private static <T extends Serializable> TypeInformation<T> of(Class<T> type) {
        return new ValueTypeInfo<>(type, new MessageSerializer<>(), false);
    }
}
