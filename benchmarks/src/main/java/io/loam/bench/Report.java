package io.loam.bench;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonBoolean;
import io.loam.codec.json.JsonValue.JsonDouble;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Everything a session measured. */
record Report(Session session, List<Measured> measured) {
    String json() {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        Map<String, JsonValue> facts = new LinkedHashMap<>();
        session.facts().forEach((name, value) -> facts.put(name, new JsonString(value)));
        members.put("session", new JsonObject(facts));
        members.put("figures", array(measured, Report::figure));
        return Json.text(new JsonObject(members)) + System.lineSeparator();
    }

    private static JsonValue figure(Measured figure) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("id", new JsonString(figure.id()));
        members.put("what", new JsonString(figure.what()));
        members.put("target", new JsonString(figure.target()));
        members.put("verdict", new JsonString(figure.result().verdict().toString()));
        members.put("reason", new JsonString(figure.result().reason()));
        members.put("seconds", new JsonDouble(figure.seconds()));
        members.put("goals", array(figure.result().goals(), Report::goal));
        members.put("rows", array(figure.result().rows(), Report::row));
        return new JsonObject(members);
    }

    private static JsonValue goal(Goal goal) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("name", new JsonString(goal.name()));
        members.put("value", number(goal.value()));
        members.put("min", number(goal.min()));
        members.put("max", number(goal.max()));
        members.put("target", number(goal.target()));
        members.put("atLeast", new JsonBoolean(goal.atLeast()));
        members.put("unit", new JsonString(goal.unit()));
        members.put("met", new JsonBoolean(goal.met()));
        return new JsonObject(members);
    }

    private static JsonValue row(FigureResult.Row row) {
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

    /** JSON has no NaN and no infinity. */
    private static JsonValue number(double value) {
        return Double.isFinite(value) ? new JsonDouble(value) : JsonValue.NULL;
    }

    private static <T> JsonArray array(List<T> list, Function<T, JsonValue> each) {
        return new JsonArray(list.stream().map(each).toList());
    }
}
