package io.loam.flink.connector.source;

import io.loam.codec.key.PrimaryKey;
import io.loam.flink.operators.CollectionOpener;

import org.apache.flink.annotation.PublicEvolving;

import javax.annotation.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Builds a {@link CollectionSource}; without a word more it reads the newest version. */
@PublicEvolving
public final class CollectionSourceBuilder<T> {
    /** Between looks for new versions, unless another time is given. */
    public static final Duration DISCOVERY_INTERVAL = Duration.ofSeconds(1);

    private final CollectionOpener opener;
    private final RowConverter<T> converter;
    private ScanMode mode = ScanMode.DEFAULT;
    @Nullable private Long version;
    @Nullable private Long timestampMs;
    @Nullable private List<byte[]> keys;
    @Nullable private RowFilter filter;
    private boolean counted;
    private long limit = Long.MAX_VALUE;
    private Duration discovery = DISCOVERY_INTERVAL;

    CollectionSourceBuilder(CollectionOpener opener, RowConverter<T> converter) {
        this.opener = opener;
        this.converter = converter;
    }

    /** Whether rows or changes are read, and from where. */
    public CollectionSourceBuilder<T> mode(ScanMode which) {
        mode = which;
        return this;
    }

    /** The version to read, or after which changes are read. */
    public CollectionSourceBuilder<T> version(long number) {
        version = number;
        return this;
    }

    /** Reads the newest version of a time, in milliseconds since the epoch. */
    public CollectionSourceBuilder<T> timestamp(long millis) {
        timestampMs = millis;
        return this;
    }

    /** Reads the rows of these keys, as far as they are there. */
    public CollectionSourceBuilder<T> keys(Collection<PrimaryKey> only) {
        keys = new ArrayList<>(only.stream().map(PrimaryKey::canonical).toList());
        return this;
    }

    /** Reads no rows that a filter tells apart; may bring some that it does not want. */
    public CollectionSourceBuilder<T> filter(RowFilter wanted) {
        filter = wanted;
        return this;
    }

    /** Reads no row, but {@linkplain RowConverter#count emits} how many there are. */
    public CollectionSourceBuilder<T> count() {
        counted = true;
        return this;
    }

    /** Rows that are enough; more may come, up to so many of each subtask. */
    public CollectionSourceBuilder<T> limit(long rows) {
        limit = rows;
        return this;
    }

    /** How long to wait between looks for new versions. */
    public CollectionSourceBuilder<T> discoveryInterval(Duration interval) {
        discovery = interval;
        return this;
    }

    /**
     * The source.
     *
     * @throws IllegalArgumentException if what was asked for does not go together
     */
    public CollectionSource<T> build() {
        boolean versioned = mode == ScanMode.DEFAULT || mode == ScanMode.FROM_VERSION;
        if (version != null && (!versioned || version < 0)) {
            throw new IllegalArgumentException(
                    "mode " + mode + " cannot begin at version " + version);
        }
        if (version == null && mode == ScanMode.FROM_VERSION) {
            throw new IllegalArgumentException("mode " + mode + " needs a version");
        }
        if (timestampMs != null && (mode.isUnbounded() || version != null)) {
            throw new IllegalArgumentException(
                    "a timestamp names the version to read, so that it goes neither with a version"
                            + " nor with mode "
                            + mode);
        }
        boolean chosen = keys != null || filter != null || counted || limit != Long.MAX_VALUE;
        if (mode.isUnbounded() && chosen) {
            throw new IllegalArgumentException(
                    "changes are read as a whole: mode "
                            + mode
                            + " takes no keys, filter, count or limit");
        }
        if (discovery.toMillis() < 1) {
            throw new IllegalArgumentException(
                    "the discovery interval is at least 1 ms, not " + discovery);
        }
        return new CollectionSource<>(
                opener,
                converter,
                new ScanSettings(
                        mode,
                        version,
                        timestampMs,
                        keys,
                        filter,
                        counted,
                        limit,
                        discovery.toMillis()));
    }
}
