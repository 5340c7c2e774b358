package io.streamfusion.state.paimon.keyed;

import io.streamfusion.state.memory.keyed.NamespaceMergeTest;
import io.streamfusion.state.paimon.kit.TestedPaimonBackend;

/** What the memory backend promises, on checkpoints that are tables. */
class PaimonNamespaceMergeTest extends NamespaceMergeTest implements TestedPaimonBackend {}
