/**
 * The broker as a process, its topics, the events that go in and the committed records that come
 * out.
 */
package io.streamfusion.matrix.kafka;
