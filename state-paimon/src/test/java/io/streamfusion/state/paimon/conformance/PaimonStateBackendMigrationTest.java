package io.streamfusion.state.paimon.conformance;

import io.streamfusion.state.memory.conformance.MemoryStateBackendMigrationTest;
import io.streamfusion.state.paimon.kit.TestedPaimonBackend;

/** The suite of the memory backend, which is Flink's, on checkpoints that are tables. */
class PaimonStateBackendMigrationTest extends MemoryStateBackendMigrationTest
        implements TestedPaimonBackend {}
