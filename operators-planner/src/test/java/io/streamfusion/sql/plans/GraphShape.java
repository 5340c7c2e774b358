package io.streamfusion.sql.plans;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.graph.StreamEdge;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamNode;

/** All of a job that does not say which code runs. */
final class GraphShape {
    private static final Pattern NUMBER = Pattern.compile("\\[(\\d+)]");

    private GraphShape() {}

    /** A line for each operator and edge, and for each vertex of the job graph. */
    static List<String> of(StreamGraph graph) {
        List<StreamNode> nodes =
                graph.getStreamNodes().stream()
                        .sorted((left, right) -> Integer.compare(left.getId(), right.getId()))
                        .toList();
        // Numbers of transformations go on from one translation to the next.
        int first = nodes.get(0).getId();
        List<String> lines = new ArrayList<>();
        for (StreamNode node : nodes) {
            lines.add(
                    "node %s '%s' uid %s parallelism %d/%d slot %s memory %s %s buffer %d chaining %s"
                            .formatted(
                                    node.getOperatorName(),
                                    node.getOperatorDescription(),
                                    node.getTransformationUID(),
                                    node.getParallelism(),
                                    node.getMaxParallelism(),
                                    node.getSlotSharingGroup(),
                                    node.getManagedMemoryOperatorScopeUseCaseWeights(),
                                    node.getManagedMemorySlotScopeUseCases(),
                                    node.getBufferTimeout(),
                                    node.getOperatorFactory().getChainingStrategy()));
            for (StreamEdge edge : node.getOutEdges()) {
                lines.add(
                        "edge to +%d %s %s"
                                .formatted(
                                        edge.getTargetId() - first,
                                        edge.getPartitioner(),
                                        edge.getExchangeMode()));
            }
        }
        for (JobVertex vertex : graph.getJobGraph().getVerticesSortedTopologicallyFromSources()) {
            lines.add(
                    "vertex %s '%s' parallelism %d/%d slot %s operators %s"
                            .formatted(
                                    vertex.getID(),
                                    vertex.getName(),
                                    vertex.getParallelism(),
                                    vertex.getMaxParallelism(),
                                    vertex.getSlotSharingGroup().getJobVertexIds(),
                                    vertex.getOperatorIDs().stream()
                                            .map(OperatorIDPair::getGeneratedOperatorID)
                                            .toList()));
        }
        return numberedFromZero(lines);
    }

    /**
     * Nodes of plans are numbered on from one translation to the next, and names have the numbers.
     */
    private static List<String> numberedFromZero(List<String> lines) {
        int first =
                lines.stream()
                        .flatMap(line -> NUMBER.matcher(line).results())
                        .mapToInt(number -> Integer.parseInt(number.group(1)))
                        .min()
                        .orElseThrow();
        return lines.stream()
                .map(
                        line ->
                                NUMBER.matcher(line)
                                        .replaceAll(
                                                number ->
                                                        "["
                                                                + (Integer.parseInt(number.group(1))
                                                                        - first)
                                                                + "]"))
                .toList();
    }
}
