package io.loam.flink.operators;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.flink.operators.CollectionElement.CurrentRow;
import io.loam.flink.operators.CollectionElement.StageReport;
import io.loam.store.repair.IndexRebuild;

import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

import java.io.IOException;

/**
 * Prepares a bounded input for batch execution, where the runtime sorts by key, and by timestamp
 * within a key, before the staging operator sees anything. Elements get their number of arrival as
 * the timestamp, and in front of each key's elements comes the row it has now: every subtask reads
 * one share of the live version's keys. A report says which commit that was.
 *
 * <p>It must follow its input by {@code forward}: arrival is counted in each subtask alone.
 */
@Internal
public final class BatchInputOperator extends AbstractStreamOperator<CollectionElement>
        implements OneInputStreamOperator<CollectionElement, CollectionElement> {
    private static final long serialVersionUID = 1L;
    private static final long BEFORE_ALL = -1;

    private final CollectionOpener opener;
    private transient OpenedCollection opened;
    private transient CollectionManifest live;
    private transient long arrived;

    public BatchInputOperator(CollectionOpener opener) {
        this.opener = opener;
    }

    @Override
    public void open() throws Exception {
        super.open();
        opened = opener.open();
        live = opened.collection().live().manifest();
    }

    @Override
    public void processElement(StreamRecord<CollectionElement> element) {
        output.collect(new StreamRecord<>(element.getValue(), arrived++));
    }

    @Override
    public void finish() throws Exception {
        super.finish();
        TaskInfo task = getRuntimeContext().getTaskInfo();
        send(
                new StageReport(
                        task.getIndexOfThisSubtask(),
                        task.getNumberOfParallelSubtasks(),
                        live.properties().getOrDefault(ManifestProperties.COMMIT_ID, "")));
        sendRows(task);
    }

    private void sendRows(TaskInfo task) throws IOException {
        IndexRebuild.scan(
                opened.collection(),
                live,
                task.getIndexOfThisSubtask(),
                task.getNumberOfParallelSubtasks(),
                (key, rowId) -> send(new CurrentRow(key, rowId)));
    }

    private void send(CollectionElement element) {
        output.collect(new StreamRecord<>(element, BEFORE_ALL));
    }

    @Override
    public void close() throws Exception {
        try {
            super.close();
        } finally {
            Resources.close(opened);
        }
    }
}
