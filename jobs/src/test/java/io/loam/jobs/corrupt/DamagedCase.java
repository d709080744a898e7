package io.loam.jobs.corrupt;

import io.loam.codec.testing.Campaign;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * One damage to one object.
 *
 * @param variant of the damage
 */
record DamagedCase(String object, Damage damage, int variant) {
    /**
     * Every damage to every object in the full form; in the short form some damages to one object
     * of each kind. Always the same for a seed and as many objects.
     */
    static List<DamagedCase> of(List<String> objects, long seed) {
        List<DamagedCase> cases = new ArrayList<>();
        for (ObjectKind kind : ObjectKind.ALL) {
            List<String> ofKind =
                    objects.stream().filter(object -> ObjectKind.of(object).equals(kind)).toList();
            if (ofKind.isEmpty()) {
                throw new AssertionError("no object is a " + kind.name());
            }
            for (Damage damage : damages(kind, seed)) {
                Random random = new Random(seed + kind.name().hashCode() + damage.ordinal());
                if (Campaign.isFull()) {
                    for (String object : ofKind) {
                        for (int variant = 0; variant < damage.variants(); variant++) {
                            cases.add(new DamagedCase(object, damage, variant));
                        }
                    }
                } else {
                    cases.add(
                            new DamagedCase(
                                    chosen(ofKind, kind, random),
                                    damage,
                                    random.nextInt(damage.variants())));
                }
            }
        }
        Collections.shuffle(cases, new Random(seed));
        return cases;
    }

    private static List<Damage> damages(ObjectKind kind, long seed) {
        if (Campaign.isFull()) {
            return List.of(Damage.values());
        }
        List<Damage> some = new ArrayList<>(List.of(Damage.values()));
        Collections.shuffle(some, new Random(seed + kind.name().hashCode()));
        return some.subList(0, kind.isRead() ? 6 : 1);
    }

    /** What was staged last is not published yet, so that it still will be read. */
    private static String chosen(List<String> ofKind, ObjectKind kind, Random random) {
        int from = kind.isStaged() ? Math.max(0, ofKind.size() - 2) : 0;
        return ofKind.get(from + random.nextInt(ofKind.size() - from));
    }

    /** As the report names it. */
    String title() {
        return ObjectKind.of(object).name() + " | " + damage;
    }
}
