package io.loam.flink.connector.table;

import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.types.DataType;
import org.junit.jupiter.api.Test;

import java.math.BigDecimal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What a question vector may be. */
class QuestionsTest {
    private static Questions of(DataType type) {
        return Questions.of("vec", 2, type.getLogicalType());
    }

    @Test
    void numbersOfEveryTypeAreComponents() {
        float[] expected = {1.5f, -2f};
        DecimalData low = DecimalData.fromBigDecimal(new BigDecimal("1.50"), 5, 2);
        DecimalData high = DecimalData.fromBigDecimal(new BigDecimal("-2.00"), 5, 2);
        assertThat(
                        of(DataTypes.ARRAY(DataTypes.DECIMAL(5, 2)))
                                .components(new GenericArrayData(new Object[] {low, high})))
                .containsExactly(expected);
        assertThat(
                        of(DataTypes.ARRAY(DataTypes.DOUBLE()))
                                .components(new GenericArrayData(new double[] {1.5, -2})))
                .containsExactly(expected);
        assertThat(
                        of(DataTypes.ARRAY(DataTypes.FLOAT()))
                                .components(new GenericArrayData(expected)))
                .containsExactly(expected);
        assertThat(
                        of(DataTypes.ARRAY(DataTypes.BIGINT()))
                                .components(new GenericArrayData(new long[] {7, -2})))
                .containsExactly(7f, -2f);
    }

    @Test
    void whatIsNoQuestionIsRefused() {
        Questions doubles = of(DataTypes.ARRAY(DataTypes.DOUBLE()));
        assertThatThrownBy(() -> doubles.components(new GenericArrayData(new double[] {1})))
                .hasMessage("the vector \"vec\" has 2 dimensions, the question has 1");
        for (Object component : new Object[] {null, Double.NaN, Double.MAX_VALUE}) {
            assertThatThrownBy(
                            () ->
                                    doubles.components(
                                            new GenericArrayData(new Object[] {1.0, component})))
                    .hasMessageContaining("has " + component + " at position 1");
        }
        assertThatThrownBy(() -> of(DataTypes.ARRAY(DataTypes.STRING())))
                .isInstanceOf(ValidationException.class)
                .hasMessage(
                        "vector \"vec\": a question is an array of 2 numbers, not ARRAY<STRING>");
    }
}
