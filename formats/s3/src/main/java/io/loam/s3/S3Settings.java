package io.loam.s3;

import io.loam.store.object.ObjectPaths;

import javax.annotation.Nullable;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where an S3 warehouse is and how it is reached.
 *
 * @param root what every key starts with: empty, or a folder with its trailing slash
 * @param accessKey null, together with the secret key, for the default chain
 * @param timeout how long the server may be silent
 */
record S3Settings(
        String bucket,
        String root,
        @Nullable URI endpoint,
        @Nullable String region,
        @Nullable String accessKey,
        @Nullable String secretKey,
        @Nullable String sessionToken,
        boolean pathStyle,
        Duration timeout) {
    private static final Pattern LOCATION = Pattern.compile("(?i)s3a?://([^/?#]*)(/.*)?");
    private static final Pattern BUCKET = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{1,254}");

    /**
     * Lance takes a URI's escapes for the key itself, so that only what needs none is found again.
     */
    private static final Pattern FOLDER = Pattern.compile("[A-Za-z0-9._=/-]+");

    private static final String DEFAULT_TIMEOUT_SECONDS = "30";
    private static final int MAX_TIMEOUT_SECONDS = 3_600;

    /** Servers of one region rarely care, but the signature needs one. */
    private static final String REGION_OF_ENDPOINTS = "us-east-1";

    /**
     * @throws IllegalArgumentException for a location or setting that cannot be
     */
    static S3Settings parse(String location, Map<String, String> given) {
        Matcher parts = LOCATION.matcher(location);
        if (!parts.matches() || !BUCKET.matcher(parts.group(1)).matches()) {
            throw new IllegalArgumentException(
                    "not a warehouse in S3: "
                            + location
                            + "; write s3://bucket or s3://bucket/a/b");
        }
        given.keySet().forEach(S3Options::requireKnown);
        URI endpoint = endpoint(text(given, S3Options.ENDPOINT));
        String region = text(given, S3Options.REGION);
        String accessKey = text(given, S3Options.ACCESS_KEY);
        String secretKey = text(given, S3Options.SECRET_KEY);
        if ((accessKey == null) != (secretKey == null)) {
            throw new IllegalArgumentException(
                    (accessKey == null ? S3Options.ACCESS_KEY : S3Options.SECRET_KEY)
                            + " is missing; give both keys, or neither for the default chain");
        }
        String sessionToken = text(given, S3Options.SESSION_TOKEN);
        if (sessionToken != null && accessKey == null) {
            throw new IllegalArgumentException(
                    S3Options.SESSION_TOKEN + " is given without " + S3Options.ACCESS_KEY);
        }
        return new S3Settings(
                parts.group(1),
                root(location, parts.group(2)),
                endpoint,
                region == null && endpoint != null ? REGION_OF_ENDPOINTS : region,
                accessKey,
                secretKey,
                sessionToken,
                flag(given, S3Options.PATH_STYLE_ACCESS, endpoint != null),
                timeout(given));
    }

    private static String root(String location, @Nullable String path) {
        String folder = path == null ? "" : path.replaceAll("^/+|/+$", "");
        if (folder.isEmpty()) {
            return "";
        }
        if (!FOLDER.matcher(folder).matches()) {
            throw new IllegalArgumentException(
                    "not a warehouse in S3: "
                            + location
                            + ": its folder may have letters, digits and . _ - = /");
        }
        try {
            return ObjectPaths.requireValid(folder) + "/";
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "not a warehouse in S3: " + location + ": " + e.getMessage(), e);
        }
    }

    @Nullable
    private static String text(Map<String, String> given, String name) {
        String value = given.get(name);
        return value == null || value.isBlank() ? null : value.strip();
    }

    @Nullable
    private static URI endpoint(@Nullable String text) {
        if (text == null) {
            return null;
        }
        try {
            URI uri = new URI(text);
            boolean good =
                    uri.getHost() != null
                            && uri.getUserInfo() == null
                            && uri.getQuery() == null
                            && ("http".equalsIgnoreCase(uri.getScheme())
                                    || "https".equalsIgnoreCase(uri.getScheme()));
            if (good) {
                return URI.create(text.replaceAll("/+$", ""));
            }
        } catch (URISyntaxException e) {
            throw badEndpoint(e);
        }
        throw badEndpoint(null);
    }

    /** The text is not shown: it may hold a password. */
    private static IllegalArgumentException badEndpoint(@Nullable Exception cause) {
        return new IllegalArgumentException(
                S3Options.ENDPOINT + " is not a URL such as https://host:port", cause);
    }

    private static boolean flag(Map<String, String> given, String name, boolean otherwise) {
        String value = text(given, name);
        if (value == null) {
            return otherwise;
        }
        String lower = value.toLowerCase(Locale.ROOT);
        if (!lower.equals("true") && !lower.equals("false")) {
            throw new IllegalArgumentException(
                    name + " is " + value + ", which is neither true nor false");
        }
        return lower.equals("true");
    }

    private static Duration timeout(Map<String, String> given) {
        String given0 = text(given, S3Options.TIMEOUT_SECONDS);
        String value = given0 == null ? DEFAULT_TIMEOUT_SECONDS : given0;
        try {
            int seconds = Integer.parseInt(value);
            if (seconds >= 1 && seconds <= MAX_TIMEOUT_SECONDS) {
                return Duration.ofSeconds(seconds);
            }
        } catch (NumberFormatException e) {
            throw badTimeout(value, e);
        }
        throw badTimeout(value, null);
    }

    private static IllegalArgumentException badTimeout(String value, @Nullable Exception cause) {
        return new IllegalArgumentException(
                S3Options.TIMEOUT_SECONDS
                        + " is "
                        + value
                        + ", not a number of seconds in 1.."
                        + MAX_TIMEOUT_SECONDS,
                cause);
    }

    /** The key of an object path. */
    String key(String path) {
        return root + ObjectPaths.requireValid(path);
    }

    /** The object path of a key below the root. */
    String path(String key) {
        return key.substring(root.length());
    }

    /** The URI of a key, as people and Lance write it. */
    String uri(String key) {
        try {
            return "s3://" + bucket + new URI(null, null, "/" + key, null).toASCIIString();
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("no URI for the key " + key, e);
        }
    }

    /** The same settings under the names Lance's object store knows. */
    Map<String, String> nativeOptions() {
        Map<String, String> options = new HashMap<>();
        putIfGiven(options, "aws_region", region);
        putIfGiven(options, "aws_access_key_id", accessKey);
        putIfGiven(options, "aws_secret_access_key", secretKey);
        putIfGiven(options, "aws_session_token", sessionToken);
        options.put("aws_virtual_hosted_style_request", Boolean.toString(!pathStyle));
        if (endpoint != null) {
            options.put("aws_endpoint", pathStyle ? endpoint.toString() : endpointOfBucket());
            options.put("allow_http", Boolean.toString(endpoint.getScheme().equals("http")));
        }
        return options;
    }

    /** Lance takes the endpoint of virtual-hosted buckets with the bucket's name in it. */
    private String endpointOfBucket() {
        return endpoint.getScheme() + "://" + bucket + "." + endpoint.getRawAuthority();
    }

    private static void putIfGiven(Map<String, String> to, String name, @Nullable String value) {
        if (value != null) {
            to.put(name, value);
        }
    }

    /** Without anything secret. */
    @Override
    public String toString() {
        return "s3://" + bucket + "/" + root + (endpoint == null ? "" : " at " + endpoint);
    }
}
