/** The commit protocol: from staged units to one manifest and one pointer swap. */
package io.loam.store.commit;
