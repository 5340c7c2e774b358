package io.streamfusion.state.paimon.restore;

import io.streamfusion.state.memory.restore.RescaleTest;
import io.streamfusion.state.paimon.kit.TestedPaimonBackend;

/** What the memory backend promises, on checkpoints that are tables. */
class PaimonRescaleTest extends RescaleTest implements TestedPaimonBackend {}
