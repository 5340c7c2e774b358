package io.streamfusion.sql.planner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class IslandsTest {
    private final List<PlanNode> nodes = new ArrayList<>();

    private PlanNode node(NativeKind kind, PlanNode... inputs) {
        PlanNode node = new PlanNode(kind.name() + nodes.size(), kind, List.of(inputs));
        node.propose((in, out, changes) -> {});
        nodes.add(node);
        return node;
    }

    private PlanNode onFlink(PlanNode... inputs) {
        PlanNode node = node(NativeKind.OTHER, inputs);
        node.refuse(Reason.NO_NATIVE_FORM.with(node.name()));
        return node;
    }

    private void settle() {
        Islands.settle(nodes, false);
    }

    @Test
    void aWholePipelineIsNative() {
        PlanNode source = node(NativeKind.SOURCE);
        PlanNode assigner = node(NativeKind.MINI_BATCH_ASSIGNER, source);
        PlanNode calc = node(NativeKind.CALC, assigner);
        PlanNode sink = node(NativeKind.SINK, calc);
        settle();
        assertThat(nodes).allMatch(PlanNode::isNative);
        assertThat(List.of(source, assigner, calc)).allMatch(PlanNode::givesBatches);
        assertThat(List.of(assigner, calc, sink)).allMatch(PlanNode::takesBatches);
        assertThat(sink.givesBatches()).isFalse();
    }

    @Test
    void aSingleCalcStaysOnFlink() {
        PlanNode calc = node(NativeKind.CALC, onFlink());
        onFlink(calc);
        settle();
        assertThat(calc.refusal()).isEqualTo(Reason.SINGLE_CALC.text());
    }

    @Test
    void unlessIslandsAreWanted() {
        PlanNode calc = node(NativeKind.CALC, onFlink());
        onFlink(calc);
        Islands.settle(nodes, true);
        assertThat(calc.isNative()).isTrue();
        assertThat(calc.givesBatches()).isFalse();
        assertThat(calc.takesBatches()).isFalse();
    }

    @Test
    void aSourceIsNativeWhenAllItsReadersAre() {
        PlanNode source = node(NativeKind.SOURCE);
        PlanNode left = node(NativeKind.CALC, source);
        PlanNode right = node(NativeKind.CALC, source);
        onFlink(left, right);
        settle();
        assertThat(List.of(source, left, right)).allMatch(PlanNode::isNative);
        assertThat(left.takesBatches()).isTrue();
        assertThat(left.givesBatches()).isFalse();
    }

    @Test
    void oneReaderOfRowsTakesTheWholeSourceBack() {
        PlanNode source = node(NativeKind.SOURCE);
        PlanNode calc = node(NativeKind.CALC, source);
        PlanNode join = onFlink(source, calc);
        settle();
        assertThat(source.refusal()).isEqualTo(join.name() + ", which reads it, takes rows");
        assertThat(calc.refusal()).isEqualTo(Reason.SINGLE_CALC.text());
    }

    @Test
    void anAssignerIsNativeBetweenBatchesOnly() {
        PlanNode source = onFlink();
        PlanNode assigner = node(NativeKind.MINI_BATCH_ASSIGNER, source);
        PlanNode calc = node(NativeKind.CALC, assigner);
        PlanNode sink = node(NativeKind.SINK, calc);
        settle();
        assertThat(assigner.refusal()).isEqualTo(source.name() + ", which it reads, gives rows");
        assertThat(List.of(calc, sink)).allMatch(PlanNode::isNative);
    }

    @Test
    void aSinkReadsBatchesOnly() {
        PlanNode join = onFlink();
        PlanNode sink = node(NativeKind.SINK, join);
        settle();
        assertThat(sink.refusal()).isEqualTo(join.name() + ", which it reads, gives rows");
    }

    @Test
    void anAggregateAndItsExchangeAreNative() {
        PlanNode source = node(NativeKind.SOURCE);
        PlanNode calc = node(NativeKind.CALC, source);
        PlanNode exchange = node(NativeKind.EXCHANGE, calc);
        PlanNode aggregate = node(NativeKind.GROUP_AGGREGATE, exchange);
        node(NativeKind.SINK, aggregate);
        settle();
        assertThat(nodes).allMatch(PlanNode::isNative);
        assertThat(exchange.givesBatches()).isTrue();
    }

    @Test
    void anExchangeToRowsIsOfRows() {
        PlanNode calc = node(NativeKind.CALC, node(NativeKind.SOURCE));
        PlanNode exchange = node(NativeKind.EXCHANGE, calc);
        PlanNode join = onFlink(exchange);
        settle();
        assertThat(exchange.refusal()).isEqualTo(join.name() + ", which reads it, takes rows");
        assertThat(calc.isNative()).isTrue();
        assertThat(calc.givesBatches()).isFalse();
    }

    @Test
    void anExchangeNeedsAnOperatorThatSplits() {
        PlanNode source = node(NativeKind.SOURCE);
        PlanNode exchange = node(NativeKind.EXCHANGE, source);
        PlanNode aggregate = node(NativeKind.GROUP_AGGREGATE, exchange);
        settle();
        assertThat(exchange.refusal())
                .isEqualTo(source.name() + ", which it reads, does not split batches");
        assertThat(source.isNative()).isFalse();
        assertThat(aggregate.isNative()).isTrue();
        assertThat(aggregate.takesBatches()).isFalse();
    }

    @Test
    void anExchangeDoesNotShareItsProducer() {
        PlanNode calc = node(NativeKind.CALC, node(NativeKind.SOURCE));
        PlanNode exchange = node(NativeKind.EXCHANGE, calc);
        node(NativeKind.GROUP_AGGREGATE, exchange);
        node(NativeKind.SINK, calc);
        settle();
        assertThat(exchange.refusal())
                .isEqualTo(calc.name() + ", which it reads, has other readers, too");
    }
}
