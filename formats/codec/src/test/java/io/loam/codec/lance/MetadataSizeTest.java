package io.loam.codec.lance;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.RowIdRuns;
import io.loam.codec.proto.LanceManifestProto;
import io.loam.codec.proto.LanceManifestProto.DataFile;
import io.loam.codec.proto.LanceManifestProto.DataFragment;
import io.loam.codec.proto.LanceManifestProto.DeletionFile;
import io.loam.codec.proto.LanceManifestProto.ExternalFile;
import io.loam.codec.testing.Campaign;

import com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many bytes the row ids of a row version take once everything has been compacted, so that no
 * deleted row is left, by ways to write them.
 */
class MetadataSizeTest {
    private static final int FRAGMENT_ROWS = 1_048_576;
    private static final long FIRST_ID = 1L << 40;

    /** Of uniform updates all but a few hundred thousandths of the rows are younger. */
    private static final long OLDEST = 12;

    /**
     * Bytes.
     *
     * @param runs stretches of consecutive ids
     * @param ranges a manifest with ranges of row ids only
     * @param inline one with each sequence in the encoding that takes the least
     * @param manifest one as compaction writes it
     * @param files the files of row ids beside it
     */
    private record Sizes(
            long rows, long runs, long ranges, long inline, long manifest, long files) {
        private String line(String name) {
            return String.format(
                    "| %,d | %s | %.3f | %.3f | %.3f | %,d | %.5f | %.3f |%n",
                    rows,
                    name,
                    (double) runs / rows,
                    (double) ranges / rows,
                    (double) inline / rows,
                    manifest,
                    (double) manifest / rows,
                    (double) files / rows);
        }
    }

    @Test
    void rowIdsTakeFewBytesHoweverRowsWereDeleted() {
        StringBuilder table =
                new StringBuilder(
                        "| live rows | deleted | runs a row | ranges, B a row | inline, B a row"
                                + " | manifest, B | manifest, B a row | files, B a row |\n"
                                + "|---|---|---|---|---|---|---|---|\n");
        int most = Campaign.size(300_000, 10_000_000);
        for (int rows = 100_000;
                rows <= most;
                rows = rows < most ? Math.min(most, rows * 10) : most + 1) {
            for (int percent : new int[] {0, 10, 30, 50, 90}) {
                double live = 1 - percent / 100.0;
                Sizes sizes = sizes(rows, at -> live);
                table.append(sizes.line(percent + " %"));
                require(sizes, percent);
            }
            double all = rows;
            Sizes uniform = sizes(rows, at -> Math.exp(-at / all));
            table.append(uniform.line("uniform updates for ever"));
            assertThat(uniform.files()).isLessThan(rows);
            assertThat(uniform.manifest()).isLessThan(fragments(uniform) * 900);
        }
        System.out.println(table);
    }

    private static void require(Sizes sizes, int percent) {
        double[] most = {0.001, 0.16, 0.2, 0.27, 1.4};
        int column = percent == 90 ? 4 : (percent + 10) / 20;
        assertThat(sizes.inline()).isLessThan((long) (most[column] * sizes.rows()) + 500);
        assertThat(sizes.manifest()).isLessThan(fragments(sizes) * 900);
        if (percent > 0) {
            assertThat(sizes.ranges()).isGreaterThan(8 * sizes.inline());
        }
    }

    private static long fragments(Sizes sizes) {
        return 1 + (sizes.rows() - 1) / FRAGMENT_ROWS;
    }

    /**
     * @param live share of the ids that are live, by their distance from the newest
     */
    private static Sizes sizes(int rows, DoubleUnaryOperator live) {
        Random random = new Random(rows);
        List<RowIdRange> runs = new ArrayList<>();
        long end = FIRST_ID + (1L << 36);
        long next = end;
        long last = end;
        long start = end;
        int found = 0;
        List<RowIdRange> backwards = new ArrayList<>();
        while (found < rows && end - next < OLDEST * rows) {
            next--;
            if (random.nextDouble() >= live.applyAsDouble(end - next)) {
                continue;
            }
            found++;
            if (next == start - 1) {
                start = next;
            } else {
                if (last > start) {
                    backwards.add(new RowIdRange(start, last));
                }
                start = next;
                last = next + 1;
            }
        }
        backwards.add(new RowIdRange(start, last));
        for (int i = backwards.size() - 1; i >= 0; i--) {
            runs.add(backwards.get(i));
        }
        assertThat(RowIdRuns.count(runs)).isEqualTo(found);
        long ranges = 0;
        long inline = 0;
        long manifest = 0;
        long files = 0;
        for (List<RowIdRange> fragment : fragments(runs)) {
            byte[] ids = RowIdEncoder.encode(fragment);
            ranges += fragment(fragment, ranges(fragment), false);
            inline += fragment(fragment, ids, false);
            manifest += fragment(fragment, ids, ids.length > 512);
            files += ids.length > 512 ? ids.length : 0;
        }
        return new Sizes(found, runs.size(), ranges, inline, manifest, files);
    }

    private static byte[] ranges(List<RowIdRange> runs) {
        LanceManifestProto.RowIdSequence.Builder sequence =
                LanceManifestProto.RowIdSequence.newBuilder();
        for (RowIdRange run : runs) {
            sequence.addSegmentsBuilder().getRangeBuilder().setStart(run.start()).setEnd(run.end());
        }
        return sequence.build().toByteArray();
    }

    private static List<List<RowIdRange>> fragments(List<RowIdRange> runs) {
        List<List<RowIdRange>> fragments = new ArrayList<>();
        List<RowIdRange> fragment = new ArrayList<>();
        long room = FRAGMENT_ROWS;
        for (RowIdRange run : runs) {
            long start = run.start();
            while (start < run.end()) {
                long taken = Math.min(room, run.end() - start);
                fragment.add(new RowIdRange(start, start + taken));
                start += taken;
                room -= taken;
                if (room == 0) {
                    fragments.add(fragment);
                    fragment = new ArrayList<>();
                    room = FRAGMENT_ROWS;
                }
            }
        }
        if (!fragment.isEmpty()) {
            fragments.add(fragment);
        }
        return fragments;
    }

    /** Bytes of a fragment in the manifest, with a data file and a deletion file. */
    private static long fragment(List<RowIdRange> ids, byte[] sequence, boolean inFile) {
        Ulid unit = new Ulid(1, 2);
        DataFile.Builder file =
                DataFile.newBuilder()
                        .setPath(DataFileName.of(unit, 77))
                        .setFileMajorVersion(2)
                        .setFileMinorVersion(1)
                        .setFileSizeBytes(1L << 31);
        for (int leaf = 0; leaf < 7; leaf++) {
            file.addFields(leaf).addColumnIndices(leaf);
        }
        DataFragment.Builder fragment =
                DataFragment.newBuilder()
                        .setId(1000)
                        .addFiles(file)
                        .setPhysicalRows(RowIdRuns.count(ids))
                        .setDeletionFile(
                                DeletionFile.newBuilder()
                                        .setFileType(1)
                                        .setReadVersion(-5)
                                        .setId(-7)
                                        .setNumDeletedRows(9)
                                        .setCrc32C(5));
        if (inFile) {
            fragment.setExternalRowIds(
                    ExternalFile.newBuilder()
                            .setPath(DataFileName.ofRowIds(unit, 77))
                            .setSize(sequence.length)
                            .build()
                            .toByteString());
        } else {
            fragment.setInlineRowIds(ByteString.copyFrom(sequence));
        }
        return LanceManifestProto.Manifest.newBuilder()
                .addFragments(fragment)
                .build()
                .getSerializedSize();
    }
}
