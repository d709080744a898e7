package io.loam.jobs;

import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.ReadableConfig;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Passwords and keys of {@link ApplyCollectionJob}. Its parameters are program arguments, which a
 * cluster shows and logs; they need only say who somebody is. What proves it is looked for where
 * the main method runs, for {@code s3.secret-key} for example:
 *
 * <pre>
 * 1  the parameter                          s3.secret-key
 * 2  Flink's configuration                  loam.s3.secret-key
 * 3  the environment of the process         LOAM_S3_SECRET_KEY
 * </pre>
 *
 * Flink shows no value of a key that has {@code password}, {@code secret} or {@code token} in it.
 */
public final class Secrets {
    /** Parameter: the secrets that whoever submits the job knows, but did not send. */
    static final String NOT_SENT = "secrets-not-sent";

    private static final String SECRET_KEY = "s3.secret-key";

    /** Secrets, and the parameters whose they are. */
    private static final Map<String, String> OWNERS =
            new TreeMap<>(
                    Map.of(
                            "metastore-password",
                            "metastore-user",
                            SECRET_KEY,
                            "s3.access-key",
                            "s3.session-token",
                            "s3.access-key"));

    private Secrets() {}

    public static boolean isSecret(String parameter) {
        return OWNERS.containsKey(parameter);
    }

    /** The parameters without secrets, which the cluster must have then. */
    public static Map<String, String> withheld(Map<String, String> parameters) {
        Map<String, String> sent = new LinkedHashMap<>(parameters);
        Set<String> withheld = new TreeSet<>(OWNERS.keySet());
        withheld.retainAll(parameters.keySet());
        sent.keySet().removeAll(withheld);
        if (!withheld.isEmpty()) {
            sent.put(NOT_SENT, String.join(",", withheld));
        }
        return sent;
    }

    /**
     * The parameters together with the secrets that they lack and that are found.
     *
     * @param flink configuration of the cluster
     * @throws IllegalArgumentException if one is nowhere that was not sent or cannot be missing
     */
    static Map<String, String> added(
            Map<String, String> parameters, ReadableConfig flink, Map<String, String> environment) {
        Map<String, String> added = new TreeMap<>(parameters);
        String notSent = added.remove(NOT_SENT);
        Set<String> needed =
                notSent == null ? new TreeSet<>() : new TreeSet<>(List.of(notSent.split(",")));
        for (String name : needed) {
            if (!isSecret(name)) {
                throw new IllegalArgumentException(
                        "--" + NOT_SENT + " " + name + ": there are " + OWNERS.keySet());
            }
        }
        boolean keysGiven = parameters.containsKey(SECRET_KEY);
        OWNERS.forEach(
                (name, owner) -> {
                    boolean given =
                            parameters.containsKey(name) || (name.startsWith("s3.") && keysGiven);
                    boolean wanted = needed.contains(name) || parameters.containsKey(owner);
                    if (given || !wanted) {
                        return;
                    }
                    String value = find(name, flink, environment);
                    if (value != null) {
                        added.put(name, value);
                    } else if (needed.contains(name) || name.equals(SECRET_KEY)) {
                        throw missing(name, owner);
                    }
                });
        return added;
    }

    private static String find(String name, ReadableConfig flink, Map<String, String> environment) {
        String configured = flink.get(ConfigOptions.key(key(name)).stringType().noDefaultValue());
        return configured != null ? configured : environment.get(variable(name));
    }

    private static IllegalArgumentException missing(String name, String owner) {
        return new IllegalArgumentException(
                name
                        + " of --"
                        + owner
                        + " was not sent with the job, and the cluster has none: set "
                        + key(name)
                        + " in Flink's configuration, or "
                        + variable(name)
                        + " in the environment of the job manager, and start it anew; or send it"
                        + " (loam apply --send-secrets)");
    }

    private static String key(String name) {
        return "loam." + name;
    }

    private static String variable(String name) {
        return "LOAM_" + name.toUpperCase(Locale.ROOT).replaceAll("[.-]", "_");
    }
}
