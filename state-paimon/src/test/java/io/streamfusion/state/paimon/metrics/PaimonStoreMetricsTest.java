package io.streamfusion.state.paimon.metrics;

import io.streamfusion.state.memory.metrics.StoreMetricsTest;
import io.streamfusion.state.paimon.kit.TestedPaimonBackend;

/** What the memory backend promises, on checkpoints that are tables. */
class PaimonStoreMetricsTest extends StoreMetricsTest implements TestedPaimonBackend {}
