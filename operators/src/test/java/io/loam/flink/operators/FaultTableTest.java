package io.loam.flink.operators;

import io.loam.store.metastore.Metastore;
import io.loam.store.object.ObjectStore;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/** The page about faults says what the matrix says, and the matrix leaves no operation out. */
class FaultTableTest {
    /** What the matrix makes fail. */
    private static final Set<String> IN_THE_MATRIX =
            Set.of(
                    "put",
                    "putFile",
                    "putAll",
                    "get",
                    "stat",
                    "clockMs",
                    "head",
                    "lease",
                    "acquireLease",
                    "takeOverLease",
                    "reacquireLease",
                    "releaseLease",
                    "rowIdBase",
                    "swapPointer",
                    "pointer");

    /** What no writing job asks for: searching, collecting, people's commands, and no I/O. */
    private static final Set<String> OF_OTHERS =
            Set.of(
                    "download",
                    "list",
                    "delete",
                    "deleteAll",
                    "uri",
                    "nativeOptions",
                    "localFile",
                    "retries",
                    "createNamespace",
                    "namespaces",
                    "createCollection",
                    "findCollection",
                    "collection",
                    "collections",
                    "updateSchema",
                    "dropCollection",
                    "retiredPaths",
                    "forgetRetiredPath",
                    "renameCollection",
                    "dropNamespace",
                    "stageCollection",
                    "stagedCollections",
                    "dropStagedCollection",
                    "createTag",
                    "tags",
                    "deleteTag",
                    "replaceTagged",
                    "expireTags",
                    "releaseVersions",
                    "bindTopic",
                    "renewLease",
                    "close");

    @Test
    void everyOperationIsInTheMatrixOrNotTheJobs() {
        Set<String> declared =
                Arrays.stream(new Class<?>[] {ObjectStore.class, Metastore.class})
                        .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                        .filter(method -> !method.isSynthetic())
                        .map(Method::getName)
                        .collect(Collectors.toCollection(TreeSet::new));
        Set<String> known = new TreeSet<>(IN_THE_MATRIX);
        known.addAll(OF_OTHERS);
        assertThat(known).containsAll(declared);
    }

    @Test
    void thePageHasTheTable() throws IOException {
        String page =
                Files.readString(
                        Path.of(System.getProperty("loam.root"), "docs/operations/faults.md"));
        String table = FaultTable.expected().byFault();
        assertThat(page).as("put this table into the page:\n%s", table).contains(table);
    }
}
