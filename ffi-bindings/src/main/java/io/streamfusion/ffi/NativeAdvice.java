package io.streamfusion.ffi;

/**
 * What a user can do about failures of a store; ends their messages. May be empty.
 *
 * @param memory when the memory budget is used up
 * @param files when a file of rows that do not fit the budget cannot be written or read
 */
record NativeAdvice(String memory, String files) {
    /** Nothing to say. */
    static final NativeAdvice NONE = new NativeAdvice("", "");

    String about(NativeException.Kind kind) {
        return switch (kind) {
            case MEMORY -> memory;
            case EXTERNAL -> files;
            default -> "";
        };
    }
}
