package io.loam.codec.record;

import io.loam.codec.manifest.Golden;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class ConsistencyTokenGoldenTest {
    private static final Golden FILE = Golden.file("tokens.json");

    static List<Golden> forms() {
        return FILE.get("forms").list();
    }

    static List<Golden> rejected() {
        return FILE.get("rejected").list();
    }

    static List<Golden> merges() {
        return FILE.get("merge").list();
    }

    static List<Golden> normalizations() {
        return FILE.get("normalize").list();
    }

    @ParameterizedTest
    @MethodSource("forms")
    void printsAndParses(Golden golden) {
        ConsistencyToken token = token(golden.get("items"));
        assertThat(token).hasToString(golden.get("text").text());
        assertThat(ConsistencyToken.parse(golden.get("text").text())).contains(token);
    }

    @ParameterizedTest
    @MethodSource("rejected")
    void rejects(Golden golden) {
        assertThat(ConsistencyToken.parse(golden.text())).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("merges")
    void merges(Golden golden) {
        assertThat(token(golden.get("a")).merge(token(golden.get("b"))))
                .isEqualTo(token(golden.get("result")));
    }

    @ParameterizedTest
    @MethodSource("normalizations")
    void normalizes(Golden golden) {
        assertThat(token(golden.get("in")).normalized()).isEqualTo(token(golden.get("out")));
    }

    private static ConsistencyToken token(Golden items) {
        return new ConsistencyToken(
                items.list().stream().map(ConsistencyTokenGoldenTest::item).toList());
    }

    private static ConsistencyToken.Item item(Golden triple) {
        List<Golden> parts = triple.list();
        return new ConsistencyToken.Item(
                parts.get(0).u64(), (int) parts.get(1).u64(), parts.get(2).u64());
    }
}
