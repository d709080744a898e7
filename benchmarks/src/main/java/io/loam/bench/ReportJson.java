package io.loam.bench;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonBoolean;
import io.loam.codec.json.JsonValue.JsonDouble;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonNull;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Reports as JSON: sessions, each with its facts and figures. */
final class ReportJson {
    private ReportJson() {}

    static JsonObject of(Report report) {
        List<JsonValue> sessions = new ArrayList<>();
        report.bySession()
                .forEach(
                        (session, figures) -> {
                            Map<String, JsonValue> facts = new LinkedHashMap<>();
                            session.facts().forEach((k, v) -> facts.put(k, new JsonString(v)));
                            Map<String, JsonValue> members = new LinkedHashMap<>();
                            members.put("facts", new JsonObject(facts));
                            members.put("figures", array(figures, ReportJson::figure));
                            sessions.add(new JsonObject(members));
                        });
        return new JsonObject(Map.of("sessions", new JsonArray(sessions)));
    }

    static Report report(JsonObject json) {
        List<Measured> measured = new ArrayList<>();
        for (JsonObject one : list(json, "sessions", each -> each)) {
            Map<String, String> facts = new LinkedHashMap<>();
            ((JsonObject) one.members().get("facts"))
                    .members()
                    .forEach((name, fact) -> facts.put(name, ((JsonString) fact).value()));
            Session session = new Session(facts);
            measured.addAll(list(one, "figures", figure -> figure(figure, session)));
        }
        return new Report(measured);
    }

    private static JsonObject figure(Measured figure) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("id", new JsonString(figure.id()));
        members.put("what", new JsonString(figure.what()));
        members.put("target", new JsonString(figure.target()));
        members.put("verdict", new JsonString(figure.result().verdict().toString()));
        members.put("reason", new JsonString(figure.result().reason()));
        members.put("seconds", number(figure.seconds()));
        members.put("goals", array(figure.result().goals(), ReportJson::goal));
        members.put("rows", array(figure.result().rows(), ReportJson::row));
        return new JsonObject(members);
    }

    private static Measured figure(JsonObject json, Session session) {
        return new Measured(
                text(json, "id"),
                text(json, "what"),
                text(json, "target"),
                new FigureResult(
                        list(json, "rows", ReportJson::row),
                        list(json, "goals", ReportJson::goal),
                        text(json, "reason")),
                number(json, "seconds"),
                session);
    }

    private static JsonObject goal(Goal goal) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("name", new JsonString(goal.name()));
        members.put("value", number(goal.value()));
        members.put("min", number(goal.min()));
        members.put("max", number(goal.max()));
        members.put("target", number(goal.target()));
        members.put("atLeast", new JsonBoolean(goal.atLeast()));
        members.put("unit", new JsonString(goal.unit()));
        members.put("verdict", new JsonString(goal.verdict().toString()));
        return new JsonObject(members);
    }

    private static Goal goal(JsonObject json) {
        return new Goal(
                text(json, "name"),
                number(json, "value"),
                number(json, "min"),
                number(json, "max"),
                number(json, "target"),
                ((JsonBoolean) json.members().get("atLeast")).value(),
                text(json, "unit"));
    }

    private static JsonObject row(FigureResult.Row row) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("name", new JsonString(row.name()));
        members.put("median", number(row.median()));
        members.put("min", number(row.min()));
        members.put("max", number(row.max()));
        members.put("unit", new JsonString(row.unit()));
        members.put("ratio", number(row.ratio()));
        members.put("runs", JsonInteger.of(row.runs()));
        return new JsonObject(members);
    }

    private static FigureResult.Row row(JsonObject json) {
        return new FigureResult.Row(
                text(json, "name"),
                number(json, "median"),
                number(json, "min"),
                number(json, "max"),
                text(json, "unit"),
                number(json, "ratio"),
                (int) number(json, "runs"));
    }

    /** JSON has no NaN and no infinity. */
    private static JsonValue number(double value) {
        return Double.isFinite(value) ? new JsonDouble(value) : JsonValue.NULL;
    }

    private static double number(JsonObject json, String name) {
        JsonValue value = json.members().get(name);
        return value instanceof JsonInteger integer
                ? integer.value()
                : value instanceof JsonNull ? Double.NaN : ((JsonDouble) value).value();
    }

    private static String text(JsonObject json, String name) {
        return ((JsonString) json.members().get(name)).value();
    }

    private static <T> JsonArray array(List<T> list, Function<T, JsonValue> each) {
        return new JsonArray(list.stream().map(each).toList());
    }

    private static <T> List<T> list(JsonObject json, String name, Function<JsonObject, T> each) {
        return ((JsonArray) json.members().get(name))
                .values().stream().map(value -> each.apply((JsonObject) value)).toList();
    }
}
