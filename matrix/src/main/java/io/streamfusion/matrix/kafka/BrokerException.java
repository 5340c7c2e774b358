package io.streamfusion.matrix.kafka;

import io.streamfusion.matrix.MatrixException;

/** The broker does not start, or has ended by itself: nothing more can be run. */
public final class BrokerException extends MatrixException {
    private static final long serialVersionUID = 1L;

    BrokerException(String message) {
        super(message);
    }
}
