package io.streamfusion.state.paimon.conformance;

import io.streamfusion.state.memory.conformance.MemoryStateBackendTest;
import io.streamfusion.state.paimon.kit.TestedPaimonBackend;

/** The suite of the memory backend, which is Flink's, on checkpoints that are tables. */
class PaimonStateBackendTest extends MemoryStateBackendTest implements TestedPaimonBackend {}
