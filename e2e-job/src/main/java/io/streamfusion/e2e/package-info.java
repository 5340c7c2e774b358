/**
 * The user job of the end-to-end tests: a deterministic source, a keyed function over every kind of
 * state, and an exactly-once file sink. It is compiled for Java 17 and knows nothing of
 * StreamFusion: the cluster's configuration alone chooses where its state lives.
 */
package io.streamfusion.e2e;
