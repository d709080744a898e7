package io.loam.jobs.cluster;

import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.FallbackKey;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** Every option that Flink's classes in a lib folder declare. */
final class FlinkOptions {
    private static final String NAMED =
            "^(metrics\\.reporter\\.\\w+|sql-gateway\\.endpoint\\.rest)\\.";

    private final Map<String, ConfigOption<?>> options = new HashMap<>();
    private final List<String> unreadable = new ArrayList<>();

    static FlinkOptions of(Path lib) throws Exception {
        FlinkOptions found = new FlinkOptions();
        try (URLClassLoader loader = loader(lib)) {
            for (URL url : loader.getURLs()) {
                found.addAll(Path.of(url.toURI()), loader);
            }
        }
        return found;
    }

    static URLClassLoader loader(Path lib) throws IOException {
        List<URL> jars = new ArrayList<>();
        try (Stream<Path> files = Files.list(lib)) {
            for (Path file :
                    files.filter(f -> f.getFileName().toString().startsWith("flink-"))
                            .filter(f -> !f.getFileName().toString().contains("loam"))
                            .toList()) {
                jars.add(file.toUri().toURL());
            }
        }
        return new URLClassLoader(jars.toArray(new URL[0]), FlinkOptions.class.getClassLoader());
    }

    int size() {
        return options.size();
    }

    /** Options of a metrics reporter or a gateway's endpoint follow the name of it. */
    boolean knows(String key) {
        return options.containsKey(key) || options.containsKey(key.replaceFirst(NAMED, ""));
    }

    /** Classes that could not be looked into, for want of optional libraries. */
    List<String> unreadable() {
        return unreadable;
    }

    /** Values that their options cannot hold. */
    List<String> problems(Configuration config) {
        List<String> problems = new ArrayList<>();
        for (String key : config.keySet()) {
            ConfigOption<?> option = options.get(key);
            if (option == null) {
                continue;
            }
            try {
                config.get(option);
            } catch (RuntimeException e) {
                problems.add(key + ": " + e.getMessage());
            }
        }
        return problems;
    }

    private void addAll(Path jar, ClassLoader loader) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            for (Enumeration<JarEntry> entries = file.entries(); entries.hasMoreElements(); ) {
                String name = entries.nextElement().getName();
                if (name.startsWith("org/apache/flink/") && name.endsWith("Options.class")) {
                    String type = name.substring(0, name.length() - 6).replace('/', '.');
                    add(type, loader);
                }
            }
        }
    }

    private void add(String type, ClassLoader loader) {
        try {
            for (Field field : Class.forName(type, true, loader).getDeclaredFields()) {
                boolean constant = Modifier.isStatic(field.getModifiers());
                if (constant && ConfigOption.class.isAssignableFrom(field.getType())) {
                    field.setAccessible(true);
                    ConfigOption<?> option = (ConfigOption<?>) field.get(null);
                    options.put(option.key(), option);
                    for (FallbackKey other : option.fallbackKeys()) {
                        if (!other.isDeprecated()) {
                            options.putIfAbsent(other.getKey(), option);
                        }
                    }
                }
            }
        } catch (ReflectiveOperationException | LinkageError e) {
            unreadable.add(type);
        }
    }
}
