package io.loam.flink.connector.source;

import io.loam.store.spi.Projection;
import io.loam.store.spi.StoredRow;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.types.RowKind;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/** Changes as lines {@code kind version key source}, and what they come to. */
final class ChangeLines implements RowConverter<String> {
    private static final long serialVersionUID = 1L;

    @Override
    public Projection projection() {
        return Projection.SOURCES;
    }

    @Override
    public String convert(RowKind kind, StoredRow row, long version) {
        return String.join(
                " ",
                kind.shortString(),
                Long.toString(version),
                row.key().string(),
                ChangingCollection.text(row));
    }

    @Override
    public TypeInformation<String> getProducedType() {
        return Types.STRING;
    }

    /**
     * Replays changes on rows: each must fit what is there. What each key was in turn, as {@link
     * ChangingCollection#courses} has it.
     */
    static Map<String, List<String>> courses(List<String> lines, Map<String, String> start) {
        Map<String, String> now = new HashMap<>(start);
        Map<String, List<String>> courses = new HashMap<>();
        for (int k = 0; k < 30; k++) {
            courses.put(
                    "k" + k, new ArrayList<>(List.of("start=" + start.getOrDefault("k" + k, "-"))));
        }
        Map<String, String> taken = new HashMap<>();
        for (String line : lines) {
            String[] parts = line.split(" ", 4);
            String key = parts[2];
            switch (parts[0]) {
                case "+I" -> assertThat(now).as(line).doesNotContainKey(key);
                case "+U" -> assertThat(taken.remove(key)).as(line).isEqualTo(parts[1]);
                default -> assertThat(now.remove(key)).as(line).isEqualTo(parts[3]);
            }
            if (parts[0].startsWith("+")) {
                now.put(key, parts[3]);
                courses.get(key).add(parts[1] + "=" + parts[3]);
            } else if (parts[0].equals("-U")) {
                taken.put(key, parts[1]);
            } else {
                courses.get(key).add(parts[1] + "=-");
            }
        }
        assertThat(taken).isEmpty();
        return courses;
    }
}
