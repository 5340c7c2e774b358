package io.streamfusion.state.paimon.timer;

import io.streamfusion.state.memory.timer.TimerOrderTest;
import io.streamfusion.state.paimon.kit.TestedPaimonBackend;

/** What the memory backend promises, on checkpoints that are tables. */
class PaimonTimerOrderTest extends TimerOrderTest implements TestedPaimonBackend {}
