package io.loam.flink.connector.source;

import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.configuration.DescribedEnum;
import org.apache.flink.configuration.description.InlineElement;

import java.util.Locale;

import static org.apache.flink.configuration.description.TextElement.text;

/** Which rows or changes a {@link CollectionSource} reads. */
@PublicEvolving
public enum ScanMode implements DescribedEnum {
    DEFAULT("All rows of one version, and then ends."),
    LATEST("What changes after the start, without an end."),
    FULL("All rows of the newest version, and then what changes, without an end."),
    FROM_VERSION("What changes after a version, without an end.");

    private final String description;

    ScanMode(String description) {
        this.description = description;
    }

    /** Whether changes are read. */
    public boolean isUnbounded() {
        return this != DEFAULT;
    }

    @Override
    public InlineElement getDescription() {
        return text(description);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
