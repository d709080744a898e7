package io.loam.store.object;

/** The rule every object path obeys, whatever the store. */
public final class ObjectPaths {
    private static final int MAX_CHARS = 1024;

    private ObjectPaths() {}

    /**
     * Returns the path if it may name an object.
     *
     * @throws IllegalArgumentException if it is empty or too long, starts or ends with a slash, has
     *     an empty segment or one that starts with a dot, a backslash or a control character
     */
    public static String requireValid(String path) {
        String flaw = flaw(path);
        if (flaw != null) {
            throw new IllegalArgumentException("bad object path \"" + path + "\": " + flaw);
        }
        return path;
    }

    private static String flaw(String path) {
        if (path.isEmpty() || path.length() > MAX_CHARS) {
            return "its length must be 1.." + MAX_CHARS;
        }
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c == '\\' || Character.isISOControl(c)) {
                return "no backslash or control character is allowed";
            }
        }
        for (String segment : path.split("/", -1)) {
            if (segment.isEmpty()) {
                return "no segment may be empty";
            }
            if (segment.charAt(0) == '.') {
                return "no segment may start with a dot";
            }
        }
        return null;
    }
}
