package io.loam.jobs.cli;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;

import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** What a command, run in this JVM, printed and returned. */
public record LoamRun(int code, String out, String err) {

    public static LoamRun of(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine loam = Loam.commandLine();
        loam.setOut(new PrintWriter(out));
        loam.setErr(new PrintWriter(err));
        int code = loam.execute(arguments);
        return new LoamRun(code, out.toString(), err.toString());
    }

    /** This, if the command succeeded and complained about nothing. */
    public LoamRun ok() {
        assertThat(err).isEmpty();
        assertThat(code).isEqualTo(Loam.OK);
        return this;
    }

    /** The one line of a failure. */
    String failure() {
        assertThat(code).isEqualTo(Loam.FAILED);
        assertThat(err).startsWith("loam: ").endsWith(System.lineSeparator()).hasLineCount(1);
        return err.strip().substring("loam: ".length());
    }

    List<JsonObject> json() {
        return out.lines()
                .map(line -> Json.parseObject(line.getBytes(StandardCharsets.UTF_8)))
                .toList();
    }

    static long number(JsonObject object, String name) {
        return ((JsonInteger) object.members().get(name)).value();
    }

    static String text(JsonObject object, String name) {
        return ((JsonString) object.members().get(name)).value();
    }

    static String printed(JsonObject object, String name) {
        JsonValue value = object.members().get(name);
        return value == null ? null : Json.text(value);
    }
}
