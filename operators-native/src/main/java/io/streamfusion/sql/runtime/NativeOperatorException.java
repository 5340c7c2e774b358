package io.streamfusion.sql.runtime;

import io.streamfusion.ffi.NativeException;
import org.apache.flink.util.FlinkRuntimeException;

/** A native operator failed, and with it its task. Says which one, and what part of the query. */
public final class NativeOperatorException extends FlinkRuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates one.
     *
     * @param operator name of the operator and its part of the query
     */
    public NativeOperatorException(String operator, NativeException cause) {
        super("The native operator " + operator + " failed. " + cause.getMessage(), cause);
    }
}
