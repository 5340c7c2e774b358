/**
 * What is registered in one keyed backend: the states, their native tables and their serializers.
 */
package io.streamfusion.state.memory.registry;
