package drover.server;

import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.elasticsearch.action.ActionType;
import org.elasticsearch.action.support.TransportAction;
import org.elasticsearch.cluster.ClusterInfo;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.metadata.ShutdownPersistentTasksStatus;
import org.elasticsearch.cluster.node.DiscoveryNodes;
import org.elasticsearch.cluster.routing.ShardRouting;
import org.elasticsearch.cluster.routing.allocation.AllocationService;
import org.elasticsearch.cluster.routing.allocation.RoutingAllocation;
import org.elasticsearch.cluster.routing.allocation.ShardAllocationDecision;
import org.elasticsearch.features.NodeFeature;
import org.elasticsearch.plugins.ActionPlugin;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.rest.RestHandler;
import org.elasticsearch.snapshots.SnapshotShardSizeInfo;

/** What a server of 9.x wants from its plugins in its own way. */
public abstract class ServerPlugin extends Plugin implements ActionPlugin {
    protected abstract List<RestHandler> handlers();

    protected static ActionHandler carriedOut(ActionType<?> action, Class<? extends TransportAction<?, ?>> by) {
        return new ActionHandler(action, by);
    }

    @Override
    public Collection<RestHandler> getRestHandlers(RestHandlersServices services, Supplier<DiscoveryNodes> nodes, Predicate<NodeFeature> features) {
        return handlers();
    }

    /** What the server decides about a shard, and why; it knows sizes of disks and of snapshots itself. */
    public static Function<ShardRouting, ShardAllocationDecision> explaining(
        AllocationService by,
        ClusterState state,
        ClusterInfo info,
        SnapshotShardSizeInfo sizes
    ) {
        return shard -> by.explainShardAllocation(shard, state, RoutingAllocation.DebugMode.EXCLUDE_YES_DECISIONS);
    }

    public static ShutdownPersistentTasksStatus noTasksLeft() {
        return ShutdownPersistentTasksStatus.fromRemainingTasks(0, 0);
    }
}
