package io.loam.bench;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonDouble;
import io.loam.codec.json.JsonValue.JsonObject;

import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;

import java.lang.reflect.Constructor;
import java.util.LinkedHashMap;
import java.util.Map;

/** Entry point of an arm's JVM: {@code ArmMain <class> [name=value ...]}. */
final class ArmMain {
    /** Starts the line of output that holds what was measured. */
    static final String RESULT = "RESULT ";

    private ArmMain() {}

    public static void main(String[] args) {
        int status = 0;
        try {
            Map<String, String> arguments = new LinkedHashMap<>();
            for (int i = 1; i < args.length; i++) {
                int split = args[i].indexOf('=');
                arguments.put(args[i].substring(0, split), args[i].substring(split + 1));
            }
            System.out.println(RESULT + print(arm(args[0]).run(arguments)));
        } catch (Throwable e) {
            e.printStackTrace();
            status = 1;
        }
        System.out.flush();
        if (FlightRecorder.isInitialized()) {
            FlightRecorder.getFlightRecorder().getRecordings().forEach(Recording::stop);
        }
        // An arm may leave threads behind; they shall not keep the JVM.
        Runtime.getRuntime().halt(status);
    }

    private static Arm arm(String name) throws ReflectiveOperationException {
        Constructor<? extends Arm> constructor =
                Class.forName(name).asSubclass(Arm.class).getDeclaredConstructor();
        constructor.setAccessible(true);
        return constructor.newInstance();
    }

    private static String print(Map<String, Double> values) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        values.forEach((name, value) -> members.put(name, new JsonDouble(value)));
        return Json.text(new JsonObject(members));
    }
}
