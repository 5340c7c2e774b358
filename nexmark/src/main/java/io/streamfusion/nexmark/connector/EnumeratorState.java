package io.streamfusion.nexmark.connector;

import java.util.List;

/**
 * What the enumerator has not handed out.
 *
 * @param next first position that never belonged to a range
 * @param returned ranges that a failed reader gave back
 */
record EnumeratorState(long next, List<EventRange> returned) {

    EnumeratorState {
        returned = List.copyOf(returned);
    }
}
