package io.loam.store.chain;

import io.loam.codec.CorruptException;
import io.loam.codec.Ulid;
import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.manifest.CommitKind;
import io.loam.codec.manifest.ManifestCodec;
import io.loam.store.LiveManifest;
import io.loam.store.chain.ManifestChain.Link;
import io.loam.store.testing.FailingObjectStore;
import io.loam.store.testing.FaultPlan;
import io.loam.store.testing.InMemoryObjectStore;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ManifestChainTest {
    private final InMemoryObjectStore objects = new InMemoryObjectStore();
    private final CollectionPaths paths = new CollectionPaths(1, 7);

    private String path(long version) {
        return version == 0 ? "" : paths.manifest(version, new Ulid(version, version));
    }

    private CollectionManifest manifest(long version, long parentVersion) {
        CollectionManifest empty = CollectionManifest.empty(7);
        return new CollectionManifest(
                version,
                parentVersion,
                7,
                1,
                1000 * version,
                0,
                List.of(),
                List.of(),
                List.of(),
                Map.of(),
                0,
                path(version - 1),
                CommitKind.LINK_APPLY,
                "",
                "",
                0,
                0,
                List.of(),
                null,
                "",
                Map.of(),
                empty.rowIdHighWater());
    }

    private LiveManifest chainOf(long versions) throws IOException {
        for (long version = 1; version <= versions; version++) {
            objects.put(path(version), ManifestCodec.encode(manifest(version, version - 1)));
        }
        return new LiveManifest(versions, path(versions), manifest(versions, versions - 1));
    }

    static Stream<JsonObject> retainedChains() throws IOException {
        try (InputStream in =
                ManifestChainTest.class.getResourceAsStream("/golden/manifest-chain.json")) {
            JsonObject file = Json.parseObject(in.readAllBytes());
            return ((JsonValue.JsonArray) file.members().get("retained_chain"))
                    .values().stream().map(JsonObject.class::cast);
        }
    }

    private static long number(JsonObject object, String member) {
        return ((JsonValue.JsonInteger) object.members().get(member)).value();
    }

    @ParameterizedTest
    @MethodSource("retainedChains")
    void golden(JsonObject expected) throws IOException {
        String text = ((JsonValue.JsonString) expected.members().get("manifests")).value();
        Map<String, Long> lengths =
                Map.of(
                        "versions 1..30, created_at_ms = 1000 x version", 30L,
                        "versions 1..10, version 6 deleted from the store", 10L);
        assertThat(lengths).containsKey(text);
        LiveManifest live = chainOf(lengths.get(text));
        if (text.contains("version 6 deleted")) {
            objects.delete(path(6));
        }
        ManifestChain chain =
                new ManifestChain(
                        objects,
                        live,
                        new Retention(
                                (int) number(expected, "keep_manifests"),
                                number(expected, "retention_ms")),
                        number(expected, "clock_ms"));
        assertThat(chain.retained().stream().map(Link::version))
                .containsExactlyElementsOf(
                        ((JsonValue.JsonArray) expected.members().get("retained"))
                                .values().stream()
                                        .map(v -> ((JsonValue.JsonInteger) v).value())
                                        .toList());
    }

    @Test
    void opensRetainedVersionsOnly() throws IOException {
        ManifestChain chain = new ManifestChain(objects, chainOf(20), new Retention(3, 0), 100_000);
        assertThat(chain.open(20).version()).isEqualTo(20);
        assertThat(chain.open(17).version()).isEqualTo(17);
        for (long version : new long[] {0, 16, 21}) {
            assertThatThrownBy(() -> chain.open(version))
                    .isInstanceOf(SnapshotExpiredException.class)
                    .hasMessageContaining("version " + version)
                    .hasMessageContaining("versions 17 to 20 are retained");
        }
    }

    @Test
    void beforeTheFirstCommitVersionZeroOpensAsEmpty() throws IOException {
        ManifestChain chain =
                new ManifestChain(
                        objects,
                        new LiveManifest(0, "", CollectionManifest.empty(7)),
                        Retention.DEFAULT,
                        0);
        assertThat(chain.open(0)).isEqualTo(CollectionManifest.empty(7));
        assertThat(chain.retained()).isEmpty();
        assertThatThrownBy(() -> chain.open(1))
                .isInstanceOf(SnapshotExpiredException.class)
                .hasMessageContaining("no version but 0");
    }

    @Test
    void parentOfAnotherVersionIsCorrupt() throws IOException {
        chainOf(4);
        CollectionManifest odd = manifest(5, 3);
        ManifestChain chain =
                new ManifestChain(objects, new LiveManifest(5, path(5), odd), Retention.DEFAULT, 0);
        assertThatThrownBy(chain::retained)
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining("version 4")
                .hasMessageContaining("is version 3");
    }

    /** The end of the chain may decide that a commit is refused for good. */
    @Test
    void aManifestThatIsListedButNotFoundDoesNotEndTheChain() throws IOException {
        LiveManifest live = chainOf(3);
        FaultPlan plan = FaultPlan.scripted().once("get " + path(2), FaultPlan.Fault.STALE);
        ManifestChain chain =
                new ManifestChain(
                        new FailingObjectStore(objects, plan), live, Retention.DEFAULT, 100_000);
        assertThatThrownBy(chain::retained)
                .isInstanceOf(IOException.class)
                .hasMessage(path(2) + ": is listed, but could not be read");
        assertThat(chain.retained()).hasSize(3);
        objects.delete(path(2));
        assertThat(chain.retained()).hasSize(1);
    }

    @Test
    void theVersionOfATimeIsTheNewestBeforeIt() throws IOException {
        LiveManifest live = chainOf(3);
        ManifestChain chain = new ManifestChain(objects, live, Retention.DEFAULT, 3000);
        assertThat(chain.openAsOf(1000).version()).isEqualTo(1);
        assertThat(chain.openAsOf(2999).version()).isEqualTo(2);
        assertThat(chain.openAsOf(9000).version()).isEqualTo(3);
        assertThatThrownBy(() -> chain.openAsOf(999))
                .isInstanceOf(SnapshotExpiredException.class)
                .hasMessageContaining("1970-01-01T00:00:00.999Z")
                .hasMessageContaining("the oldest version retained is 1 of 1970-01-01T00:00:01Z");
        assertThatThrownBy(
                        () ->
                                new ManifestChain(
                                                objects,
                                                new LiveManifest(
                                                        0, "", CollectionManifest.empty(7)),
                                                Retention.DEFAULT,
                                                0)
                                        .openAsOf(5))
                .hasMessageContaining("it has no version yet");
    }
}
