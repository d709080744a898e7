package io.loam.jobs.cluster;

import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What docker-compose.yml says, anchors and merges resolved. */
record Compose(Map<String, Service> services, List<String> volumes) {

    /** One service; a command given as text is split at blanks. */
    record Service(
            String name,
            String image,
            List<String> command,
            List<String> mounts,
            Map<String, String> environment,
            Map<String, Object> rest) {

        boolean isFlink() {
            return command.contains("java");
        }

        /**
         * Host path or volume of the mount that holds a path of the container, and the rest of it.
         */
        String outside(String inside) {
            for (String mount : mounts) {
                String[] parts = mount.split(":");
                if (inside.equals(parts[1]) || inside.startsWith(parts[1] + "/")) {
                    return parts[0] + inside.substring(parts[1].length());
                }
            }
            throw new AssertionError(name + " mounts nothing that holds " + inside);
        }

        String mainClass() {
            return command.get(command.indexOf("-cp") + 2);
        }

        List<String> jvmFlags() {
            return command.subList(1, command.indexOf("-cp"));
        }

        List<String> arguments() {
            return command.subList(command.indexOf("-cp") + 3, command.size());
        }
    }

    static Compose read(Path file) throws IOException {
        Yaml yaml = new Yaml(new SafeConstructor(new LoaderOptions()));
        Map<String, Object> root = yaml.load(Files.readString(file));
        Map<String, Service> services = new LinkedHashMap<>();
        object(root.get("services"))
                .forEach((name, body) -> services.put(name, service(name, object(body))));
        return new Compose(services, List.copyOf(object(root.get("volumes")).keySet()));
    }

    Service service(String name) {
        return services.get(name);
    }

    List<Service> flink() {
        return services.values().stream().filter(Service::isFlink).toList();
    }

    private static Service service(String name, Map<String, Object> body) {
        Map<String, String> environment = new LinkedHashMap<>();
        object(body.getOrDefault("environment", Map.of()))
                .forEach((key, value) -> environment.put(key, (String) value));
        Map<String, Object> rest = new LinkedHashMap<>(body);
        rest.keySet().removeAll(List.of("image", "command", "volumes", "environment"));
        return new Service(
                name,
                (String) body.get("image"),
                words(body.getOrDefault("command", "")),
                words(body.getOrDefault("volumes", List.of())),
                environment,
                rest);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    private static List<String> words(Object value) {
        return value instanceof String
                ? List.of(((String) value).split(" "))
                : (List<String>) value;
    }
}
