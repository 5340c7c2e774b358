/**
 * The program behind {@code bin/quickstart}: one Nexmark query on an embedded Flink with a chosen
 * state backend, then on {@code hashmap}, and whether both results are the same.
 */
package io.streamfusion.nexmark.quickstart;
