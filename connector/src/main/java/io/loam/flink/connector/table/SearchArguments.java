package io.loam.flink.connector.table;

import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.functions.FunctionDefinition;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.inference.ArgumentCount;
import org.apache.flink.table.types.inference.CallContext;
import org.apache.flink.table.types.inference.ConstantArgumentCount;
import org.apache.flink.table.types.inference.InputTypeStrategy;
import org.apache.flink.table.types.inference.Signature;
import org.apache.flink.table.types.inference.TypeInference;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.LogicalTypeRoot;

import javax.annotation.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The arguments of a search, of which the last may be left out.
 *
 * @param parameters in order
 */
record SearchArguments(List<Parameter> parameters) implements InputTypeStrategy {
    /** A parameter: its name and what can be given for it. */
    record Parameter(String name, Kind kind) {}

    /** What can be given. */
    enum Kind {
        NAME("a string literal"),
        TEXT("a string"),
        VECTOR("an array of numbers"),
        COUNT("a whole number from 1 as a literal"),
        FILTER("a string literal");

        private final String what;

        Kind(String what) {
            this.what = what;
        }
    }

    /** Of a function whose hits are rows of the collection that is its first argument. */
    static TypeInference inference(SearchTarget target, Parameter... parameters) {
        return TypeInference.newBuilder()
                .inputTypeStrategy(new SearchArguments(List.of(parameters)))
                .outputTypeStrategy(call -> Optional.of(target.hits(call).type()))
                .build();
    }

    @Override
    public ArgumentCount getArgumentCount() {
        return ConstantArgumentCount.between(parameters.size() - 1, parameters.size());
    }

    @Override
    public Optional<List<DataType>> inferInputTypes(CallContext call, boolean throwOnFailure) {
        List<DataType> types = new ArrayList<>();
        for (int i = 0; i < call.getArgumentDataTypes().size(); i++) {
            Parameter parameter = parameters.get(i);
            LogicalType given = call.getArgumentDataTypes().get(i).getLogicalType();
            if (!fits(parameter.kind(), given, call, i)) {
                return call.fail(
                        throwOnFailure,
                        "argument %d, %s, is %s, not %s",
                        i + 1,
                        parameter.name(),
                        parameter.kind().what,
                        call.isArgumentNull(i) ? "NULL" : given.asSummaryString());
            }
            types.add(type(parameter.kind()));
        }
        return Optional.of(types);
    }

    private static boolean fits(Kind kind, LogicalType given, CallContext call, int position) {
        boolean unknown = given.is(LogicalTypeRoot.NULL);
        return switch (kind) {
            case NAME, FILTER ->
                    given.is(LogicalTypeFamily.CHARACTER_STRING)
                            && literal(call, position, String.class).isPresent();
            case TEXT -> unknown || given.is(LogicalTypeFamily.CHARACTER_STRING);
            case VECTOR -> unknown || Questions.isVector(given);
            case COUNT ->
                    given.is(LogicalTypeRoot.INTEGER)
                            && literal(call, position, Integer.class).orElse(0) >= 1;
        };
    }

    private static DataType type(Kind kind) {
        return switch (kind) {
            case NAME, TEXT, FILTER -> DataTypes.STRING();
            case VECTOR -> DataTypes.ARRAY(DataTypes.DOUBLE());
            case COUNT -> DataTypes.INT();
        };
    }

    @Override
    public List<Signature> getExpectedSignatures(FunctionDefinition definition) {
        return IntStream.of(parameters.size() - 1, parameters.size())
                .mapToObj(
                        count ->
                                Signature.of(
                                        parameters.subList(0, count).stream()
                                                .map(SearchArguments::argument)
                                                .toList()))
                .toList();
    }

    private static Signature.Argument argument(Parameter parameter) {
        return Signature.Argument.of(parameter.name(), parameter.kind().what);
    }

    /** The name of the collection, the first argument. */
    static String name(CallContext call) {
        return Objects.requireNonNull(literal(call, 0), "collection");
    }

    /** The value of a string literal; null if there is no such argument or it is no literal. */
    @Nullable
    static String literal(CallContext call, int position) {
        return position < call.getArgumentDataTypes().size()
                ? literal(call, position, String.class).orElse(null)
                : null;
    }

    private static <T> Optional<T> literal(CallContext call, int position, Class<T> type) {
        return call.isArgumentLiteral(position) && !call.isArgumentNull(position)
                ? call.getArgumentValue(position, type)
                : Optional.empty();
    }
}
