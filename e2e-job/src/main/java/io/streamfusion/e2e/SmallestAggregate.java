package io.streamfusion.e2e;

import org.apache.flink.api.common.functions.AggregateFunction;

/** The smallest number seen. */
final class SmallestAggregate implements AggregateFunction<Long, Long, Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public Long createAccumulator() {
        return Long.MAX_VALUE;
    }

    @Override
    public Long add(Long value, Long accumulator) {
        return Math.min(value, accumulator);
    }

    @Override
    public Long getResult(Long accumulator) {
        return accumulator;
    }

    @Override
    public Long merge(Long left, Long right) {
        return Math.min(left, right);
    }
}
