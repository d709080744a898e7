package io.loam.jobs.cluster;

import javax.annotation.Nullable;

import java.util.Map;

/**
 * What a start may choose; null leaves it as it is, or as {@code config.yaml} says.
 *
 * @param taskManagers how many task managers run
 * @param slots slots of each
 * @param restPort port of Flink's REST interface and pages; 0 takes a free one
 * @param rpcPort port task managers find the job manager at; 0 takes a free one
 * @param gatewayPort port of the SQL gateway; 0 takes a free one
 * @param flink any other option of Flink
 */
public record ClusterSettings(
        @Nullable Integer taskManagers,
        @Nullable Integer slots,
        @Nullable Integer restPort,
        @Nullable Integer rpcPort,
        @Nullable Integer gatewayPort,
        Map<String, String> flink) {}
