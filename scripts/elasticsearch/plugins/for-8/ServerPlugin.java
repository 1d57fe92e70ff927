package drover.server;

import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.elasticsearch.action.ActionRequest;
import org.elasticsearch.action.ActionResponse;
import org.elasticsearch.action.ActionType;
import org.elasticsearch.action.support.TransportAction;
import org.elasticsearch.cluster.ClusterInfo;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.metadata.IndexNameExpressionResolver;
import org.elasticsearch.cluster.metadata.ShutdownPersistentTasksStatus;
import org.elasticsearch.cluster.node.DiscoveryNodes;
import org.elasticsearch.cluster.routing.ShardRouting;
import org.elasticsearch.cluster.routing.allocation.AllocationService;
import org.elasticsearch.cluster.routing.allocation.RoutingAllocation;
import org.elasticsearch.cluster.routing.allocation.ShardAllocationDecision;
import org.elasticsearch.common.io.stream.NamedWriteableRegistry;
import org.elasticsearch.common.settings.ClusterSettings;
import org.elasticsearch.common.settings.IndexScopedSettings;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.common.settings.SettingsFilter;
import org.elasticsearch.features.NodeFeature;
import org.elasticsearch.plugins.ActionPlugin;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.rest.RestController;
import org.elasticsearch.rest.RestHandler;
import org.elasticsearch.snapshots.SnapshotShardSizeInfo;

/** What a server of 8.x wants from its plugins in its own way. */
public abstract class ServerPlugin extends Plugin implements ActionPlugin {
    protected abstract List<RestHandler> handlers();

    protected static <Q extends ActionRequest, A extends ActionResponse> ActionHandler<Q, A> carriedOut(
        ActionType<A> action,
        Class<? extends TransportAction<Q, A>> by
    ) {
        return new ActionHandler<>(action, by);
    }

    @Override
    public Collection<RestHandler> getRestHandlers(
        Settings settings,
        NamedWriteableRegistry writeables,
        RestController controller,
        ClusterSettings clusterSettings,
        IndexScopedSettings indexSettings,
        SettingsFilter filter,
        IndexNameExpressionResolver resolver,
        Supplier<DiscoveryNodes> nodes,
        Predicate<NodeFeature> features
    ) {
        return handlers();
    }

    /** What the server decides about a shard, and why. */
    public static Function<ShardRouting, ShardAllocationDecision> explaining(
        AllocationService by,
        ClusterState state,
        ClusterInfo info,
        SnapshotShardSizeInfo sizes
    ) {
        RoutingAllocation now = new RoutingAllocation(by.getAllocationDeciders(), state, info, sizes, System.nanoTime());
        now.setDebugMode(RoutingAllocation.DebugMode.EXCLUDE_YES_DECISIONS);
        return shard -> by.explainShardAllocation(shard, now);
    }

    public static ShutdownPersistentTasksStatus noTasksLeft() {
        return new ShutdownPersistentTasksStatus();
    }
}
