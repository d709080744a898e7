package io.loam.store.maintain;

import java.io.IOException;

/**
 * Does tasks: opens the live version, builds files on local disk, announces them in a unit
 * descriptor, uploads them and deletes them locally. Publishes nothing. Runs anywhere, several at
 * once, also on the same task.
 */
@FunctionalInterface
public interface TaskRunner {
    /**
     * @throws ObsoleteTaskException if what the task names is not there any more
     * @throws IOException if it failed; uploaded files are left to garbage collection
     */
    FinishedWork run(MaintenanceTask task) throws IOException;
}
