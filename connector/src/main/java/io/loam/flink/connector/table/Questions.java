package io.loam.flink.connector.table;

import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;

import java.io.Serializable;

/** Question vectors as Flink hands them over: arrays of any numbers. */
final class Questions implements Serializable {
    private static final long serialVersionUID = 1L;

    private final String vector;
    private final int dimension;
    private final ArrayData.ElementGetter components;

    private Questions(String vector, int dimension, ArrayData.ElementGetter components) {
        this.vector = vector;
        this.dimension = dimension;
        this.components = components;
    }

    /**
     * Questions to a vector.
     *
     * @param type of the questions
     * @throws ValidationException if they are no arrays of numbers
     */
    static Questions of(String vector, int dimension, LogicalType type) {
        if (!isVector(type)) {
            throw new ValidationException(
                    "vector \""
                            + vector
                            + "\": a question is an array of "
                            + dimension
                            + " numbers, not "
                            + type.asSummaryString());
        }
        return new Questions(
                vector,
                dimension,
                ArrayData.createElementGetter(((ArrayType) type).getElementType()));
    }

    static boolean isVector(LogicalType type) {
        return type instanceof ArrayType array
                && array.getElementType().is(LogicalTypeFamily.NUMERIC);
    }

    /**
     * The components of a question.
     *
     * @throws ValueException if there are too few or too many, or one is no finite number
     */
    float[] components(ArrayData question) {
        if (question.size() != dimension) {
            throw new ValueException(
                    "the vector \""
                            + vector
                            + "\" has "
                            + dimension
                            + " dimensions, the question has "
                            + question.size());
        }
        float[] values = new float[dimension];
        for (int i = 0; i < dimension; i++) {
            Object component = components.getElementOrNull(question, i);
            values[i] = component == null ? Float.NaN : number(component);
            if (!Float.isFinite(values[i])) {
                throw new ValueException(
                        "the question to the vector \""
                                + vector
                                + "\" has "
                                + component
                                + " at position "
                                + i
                                + ", and needs finite numbers");
            }
        }
        return values;
    }

    private static float number(Object component) {
        return component instanceof DecimalData decimal
                ? decimal.toBigDecimal().floatValue()
                : ((Number) component).floatValue();
    }
}
