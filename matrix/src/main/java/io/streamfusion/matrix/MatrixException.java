package io.streamfusion.matrix;

/** Something that ends the run, or a part of it, and that one line tells the user. */
public class MatrixException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message one line, for the user
     */
    public MatrixException(String message) {
        super(message);
    }

    /**
     * @param message one line, for the user
     * @param cause goes to the log
     */
    public MatrixException(String message, Throwable cause) {
        super(message, cause);
    }
}
