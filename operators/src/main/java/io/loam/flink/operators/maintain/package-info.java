/**
 * Maintenance of collections as Flink operators: a planner, parallel runners, one publisher. What
 * they do stands in {@link io.loam.store.maintain}; here it is put on threads.
 *
 * <pre>
 * triggers - plan (1) - task orders - run (N) - task results - publish (1) - round reports
 *                     \---------------- opened rounds --------/
 * </pre>
 *
 * Nothing of it is state. Barriers pass at once, whatever runs; after a failure the next trigger
 * plans again, once the leases of lost rounds have run out.
 */
package io.loam.flink.operators.maintain;
