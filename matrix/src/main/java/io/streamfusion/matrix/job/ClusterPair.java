package io.streamfusion.matrix.job;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The clusters of the two sides, up at the same time. JobManagers stay; each query has TaskManagers
 * of its own, so that neither memory nor compiled code of an earlier one is theirs.
 */
public final class ClusterPair implements AutoCloseable {
    private final SideCluster stock;
    private final SideCluster ours;

    /**
     * Writes the configurations; {@link #start} starts the JobManagers.
     *
     * @param stock value of {@code state.backend.type}
     * @param ours value of {@code state.backend.type}
     * @param nativeSql whether ours has native operators
     * @param work a folder of their own
     */
    public ClusterPair(
            FlinkBuild flink,
            String stock,
            String ours,
            boolean nativeSql,
            ClusterSettings settings,
            Path work)
            throws IOException {
        this.stock = new SideCluster(flink, stock, false, settings, work.resolve("stock"));
        this.ours = new SideCluster(flink, ours, nativeSql, settings, work.resolve("ours"));
    }

    /** Starts the JobManagers. */
    public void start() throws IOException {
        stock.start();
        ours.start();
    }

    /** Replaces the TaskManagers of both and waits until the new ones are ready. */
    public void renewTaskManagers() throws IOException {
        stock.renewTaskManagers();
        ours.renewTaskManagers();
        stock.awaitTaskManagers();
        ours.awaitTaskManagers();
    }

    /** Stock Flink. */
    public SideCluster stock() {
        return stock;
    }

    /** Flink with StreamFusion. */
    public SideCluster ours() {
        return ours;
    }

    @Override
    public void close() {
        stock.close();
        ours.close();
    }
}
