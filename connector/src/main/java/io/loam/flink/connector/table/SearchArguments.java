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
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The arguments of a search. A filter may follow them, and options.
 *
 * @param parameters those that must be given, in order
 */
record SearchArguments(List<Parameter> parameters) implements InputTypeStrategy {
    private static final Parameter FILTER = new Parameter("filter", Kind.FILTER);
    private static final Parameter OPTIONS = new Parameter("options", Kind.OPTIONS);

    /** A parameter: its name and what can be given for it. */
    record Parameter(String name, Kind kind) {}

    /** What can be given. */
    enum Kind {
        NAME("a string literal"),
        TEXT("a string"),
        VECTOR("an array of numbers"),
        COUNT("a whole number from 1 as a literal"),
        FILTER("a string literal"),
        OPTIONS("a MAP of string literals");

        private final String what;

        Kind(String what) {
            this.what = what;
        }
    }

    /** Of a function whose hits are rows of the collection that is its first argument. */
    TypeInference inference(SearchTarget target) {
        return TypeInference.newBuilder()
                .inputTypeStrategy(this)
                .outputTypeStrategy(call -> Optional.of(target.hits(call).type()))
                .build();
    }

    @Override
    public ArgumentCount getArgumentCount() {
        return ConstantArgumentCount.between(parameters.size(), parameters.size() + 2);
    }

    @Override
    public Optional<List<DataType>> inferInputTypes(CallContext call, boolean throwOnFailure) {
        List<Parameter> expected = expected(call);
        List<DataType> types = new ArrayList<>();
        for (int i = 0; i < expected.size(); i++) {
            Parameter parameter = expected.get(i);
            DataType given = call.getArgumentDataTypes().get(i);
            if (!fits(parameter.kind(), given.getLogicalType(), call, i)) {
                return call.fail(
                        throwOnFailure,
                        "argument %d, %s, is %s, not %s",
                        i + 1,
                        parameter.name(),
                        parameter.kind().what,
                        call.isArgumentNull(i) ? "NULL" : given.getLogicalType().asSummaryString());
            }
            // A map that is cast is no literal any more.
            types.add(parameter == OPTIONS ? given : type(parameter.kind()));
        }
        return Optional.of(types);
    }

    private List<Parameter> expected(CallContext call) {
        int more = call.getArgumentDataTypes().size() - parameters.size();
        List<Parameter> expected = new ArrayList<>(parameters);
        if (more == 2 || more == 1 && !isMap(call, parameters.size())) {
            expected.add(FILTER);
        }
        if (more == 2 || more == 1 && isMap(call, parameters.size())) {
            expected.add(OPTIONS);
        }
        return expected;
    }

    private static boolean isMap(CallContext call, int position) {
        return call.getArgumentDataTypes().get(position).getLogicalType().is(LogicalTypeRoot.MAP);
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
            case OPTIONS ->
                    given.is(LogicalTypeRoot.MAP) && literal(call, position, Map.class).isPresent();
        };
    }

    private static DataType type(Kind kind) {
        return switch (kind) {
            case NAME, TEXT, FILTER -> DataTypes.STRING();
            case VECTOR -> DataTypes.ARRAY(DataTypes.DOUBLE());
            case COUNT -> DataTypes.INT();
            case OPTIONS -> DataTypes.MAP(DataTypes.STRING(), DataTypes.STRING());
        };
    }

    @Override
    public List<Signature> getExpectedSignatures(FunctionDefinition definition) {
        return Stream.of(
                        List.<Parameter>of(),
                        List.of(FILTER),
                        List.of(OPTIONS),
                        List.of(FILTER, OPTIONS))
                .map(
                        more ->
                                Signature.of(
                                        Stream.concat(parameters.stream(), more.stream())
                                                .map(SearchArguments::argument)
                                                .toList()))
                .toList();
    }

    private static Signature.Argument argument(Parameter parameter) {
        return Signature.Argument.of(parameter.name(), parameter.kind().what);
    }

    /**
     * What is said of a search besides the question.
     *
     * @throws org.apache.flink.table.api.ValidationException if an option is none, or they do not
     *     go together
     */
    SearchOptions options(CallContext call) {
        List<Parameter> expected = expected(call);
        int options = expected.indexOf(OPTIONS);
        return SearchOptions.of(
                expected.contains(FILTER) ? literal(call, parameters.size()) : null,
                options < 0 ? Map.of() : map(call, options));
    }

    @SuppressWarnings("unchecked") // Flink says so
    private static Map<String, String> map(CallContext call, int position) {
        return (Map<String, String>) literal(call, position, Map.class).orElseThrow();
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
