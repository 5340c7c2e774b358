/** JMH benchmarks of keyed state, timers, checkpoints and restores, and the fixture they share. */
package io.streamfusion.jmh.state;
