/**
 * Flink table connector {@code streamfusion-collect}: folds the changelog of a result inside this
 * JVM, so that an embedded job's final rows can be printed, hashed and compared.
 */
package io.streamfusion.nexmark.collect;
