package io.loam.s3;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Names of the settings of an S3 warehouse; see docs/operations/s3.md. */
public final class S3Options {
    /** URL of the server, without the bucket; Amazon's own by default. */
    public static final String ENDPOINT = "s3.endpoint";

    /** Region; the SDK's own search by default, or {@code us-east-1} with an endpoint. */
    public static final String REGION = "s3.region";

    /** Access key id; together with the secret key, or neither for the default chain. */
    public static final String ACCESS_KEY = "s3.access-key";

    public static final String SECRET_KEY = "s3.secret-key";

    /** Session token of temporary keys. */
    public static final String SESSION_TOKEN = "s3.session-token";

    /** Whether the bucket is in the URL's path instead of its host; true with an endpoint. */
    public static final String PATH_STYLE_ACCESS = "s3.path-style-access";

    /** How long the server may be silent, in seconds. */
    public static final String TIMEOUT_SECONDS = "s3.timeout-seconds";

    private static final Set<String> ALL =
            Set.of(
                    ENDPOINT,
                    REGION,
                    ACCESS_KEY,
                    SECRET_KEY,
                    SESSION_TOKEN,
                    PATH_STYLE_ACCESS,
                    TIMEOUT_SECONDS);

    /** How other software names the same settings. */
    private static final Map<String, String> ELSEWHERE =
            Map.of(
                    "s3.path.style.access", PATH_STYLE_ACCESS,
                    "s3.access-key-id", ACCESS_KEY,
                    "s3.secret-access-key", SECRET_KEY,
                    "s3.access.key", ACCESS_KEY,
                    "s3.secret.key", SECRET_KEY,
                    "client.region", REGION);

    private S3Options() {}

    /** Every name. */
    public static Set<String> all() {
        return ALL;
    }

    /** Refuses a name that is none of them; the value is not shown, it may be secret. */
    static void requireKnown(String name) {
        if (ALL.contains(name)) {
            return;
        }
        String meant = ELSEWHERE.get(name.toLowerCase(Locale.ROOT));
        throw new IllegalArgumentException(
                "unknown setting "
                        + name
                        + (meant != null
                                ? "; it is " + meant + " here"
                                : "; there are " + String.join(", ", new TreeSet<>(ALL))));
    }
}
