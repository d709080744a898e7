package io.loam.codec.record;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names, per written partition, the offset after a write: {@code
 * v1:s<stream>/p<partition>@<offset>} with items joined by commas. Numbers are canonical decimals,
 * so each token has one spelling. The empty token is {@code v1:}.
 */
public record ConsistencyToken(List<Item> items) {
    private static final String PREFIX = "v1:";
    private static final String NUMBER = "(0|[1-9][0-9]{0,19})";
    private static final Pattern ITEM =
            Pattern.compile("s" + NUMBER + "/p" + NUMBER + "@" + NUMBER);
    private static final Comparator<Item> ORDER =
            Comparator.comparing(Item::stream, Long::compareUnsigned)
                    .thenComparing(Item::partition, Integer::compareUnsigned);

    /** Stream (u64), partition (u32), next offset (u64), all unsigned. */
    public record Item(long stream, int partition, long offset) {}

    public ConsistencyToken {
        items = List.copyOf(items);
    }

    /** Reads a token; empty for anything that is not one. */
    public static Optional<ConsistencyToken> parse(String text) {
        if (!text.startsWith(PREFIX)) {
            return Optional.empty();
        }
        String body = text.substring(PREFIX.length());
        List<Item> items = new ArrayList<>();
        for (String part : body.isEmpty() ? new String[0] : body.split(",", -1)) {
            Matcher matcher = ITEM.matcher(part);
            if (!matcher.matches()) {
                return Optional.empty();
            }
            try {
                items.add(
                        new Item(
                                Long.parseUnsignedLong(matcher.group(1)),
                                Integer.parseUnsignedInt(matcher.group(2)),
                                Long.parseUnsignedLong(matcher.group(3))));
            } catch (NumberFormatException e) {
                // Shaped like a number and beyond its range: no token either.
                return Optional.empty();
            }
        }
        return Optional.of(new ConsistencyToken(items));
    }

    /** Sorted by stream and partition; of repeated ones the largest offset. */
    public ConsistencyToken normalized() {
        TreeMap<Item, Item> largest = new TreeMap<>(ORDER);
        for (Item item : items) {
            largest.merge(
                    item,
                    item,
                    (a, b) -> Long.compareUnsigned(a.offset(), b.offset()) >= 0 ? a : b);
        }
        return new ConsistencyToken(new ArrayList<>(largest.values()));
    }

    /** Covers what either covers; in normal form. */
    public ConsistencyToken merge(ConsistencyToken other) {
        List<Item> all = new ArrayList<>(items);
        Collections.addAll(all, other.items.toArray(new Item[0]));
        return new ConsistencyToken(all).normalized();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(PREFIX);
        for (Item item : items) {
            if (text.length() > PREFIX.length()) {
                text.append(',');
            }
            text.append('s')
                    .append(Long.toUnsignedString(item.stream()))
                    .append("/p")
                    .append(Integer.toUnsignedString(item.partition()))
                    .append('@')
                    .append(Long.toUnsignedString(item.offset()));
        }
        return text.toString();
    }
}
