package io.loam.jobs.cli;

import io.loam.codec.manifest.Action;
import io.loam.codec.manifest.Action.AddSplit;
import io.loam.codec.manifest.Action.RemoveSplit;
import io.loam.codec.manifest.Action.SetLanceVersion;
import io.loam.codec.manifest.Action.UpdateSplit;

/** Actions as people read them. */
final class ActionText {
    private ActionText() {}

    static String details(Action action) {
        if (action instanceof SetLanceVersion) {
            SetLanceVersion set = (SetLanceVersion) action;
            return Long.toUnsignedString(set.from()) + " -> " + Long.toUnsignedString(set.to());
        }
        if (action instanceof AddSplit) {
            AddSplit add = (AddSplit) action;
            return add.split().ulid()
                    + " at "
                    + add.position()
                    + ": "
                    + add.split().docCount()
                    + " documents, "
                    + add.split().deletedCount()
                    + " deleted, "
                    + add.split().sizeBytes()
                    + " bytes";
        }
        if (action instanceof RemoveSplit) {
            return ((RemoveSplit) action).ulid().toString();
        }
        if (action instanceof UpdateSplit) {
            UpdateSplit update = (UpdateSplit) action;
            return update.ulid() + ": " + update.deletedCount() + " deleted";
        }
        String text = action.toString();
        String name = action.getClass().getSimpleName();
        return text.startsWith(name) ? text.substring(name.length()) : text;
    }
}
