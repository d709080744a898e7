package io.loam.store.tag;

import javax.annotation.Nullable;

import java.time.Duration;

/**
 * What a tag is created with.
 *
 * @param description for people; may be empty
 * @param lifetime how long it stands; null for ever
 * @param protect whether the collection cannot be dropped while it stands
 */
public record TagOptions(String description, @Nullable Duration lifetime, boolean protect) {
    public static final TagOptions DEFAULT = new TagOptions("", null, false);

    public TagOptions {
        if (lifetime != null && lifetime.toMillis() < 1) {
            throw new IllegalArgumentException(
                    "a tag must stand for at least a millisecond, not " + lifetime);
        }
    }
}
