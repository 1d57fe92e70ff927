package drover.lifecycle;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.metadata.Metadata;
import org.elasticsearch.xpack.core.ilm.LifecycleOperationMetadata;
import org.elasticsearch.xpack.core.ilm.OperationMode;
import org.elasticsearch.xpack.core.slm.SnapshotLifecycleMetadata;
import org.elasticsearch.xpack.core.slm.SnapshotLifecyclePolicyMetadata;
import org.elasticsearch.xpack.core.slm.SnapshotLifecycleStats;

/** What the cluster state says about policies, and how it is after a change. */
final class Policies {
    private Policies() {}

    static SnapshotLifecycleMetadata of(ClusterState state) {
        return state.metadata().custom(SnapshotLifecycleMetadata.TYPE, SnapshotLifecycleMetadata.EMPTY);
    }

    static SnapshotLifecyclePolicyMetadata find(ClusterState state, String id) {
        return of(state).getSnapshotConfigurations().get(id);
    }

    static OperationMode mode(ClusterState state) {
        return LifecycleOperationMetadata.currentSLMMode(state);
    }

    /** With one policy set, or taken away where it is null. */
    static ClusterState with(ClusterState state, String id, SnapshotLifecyclePolicyMetadata policy) {
        Map<String, SnapshotLifecyclePolicyMetadata> policies = new HashMap<>(of(state).getSnapshotConfigurations());
        if (policy == null) policies.remove(id);
        else policies.put(id, policy);
        return with(state, policies, of(state).getStats());
    }

    static ClusterState counted(ClusterState state, UnaryOperator<SnapshotLifecycleStats> counting) {
        return with(state, of(state).getSnapshotConfigurations(), counting.apply(of(state).getStats()));
    }

    /** A policy that was deleted meanwhile stays deleted. */
    static ClusterState changed(ClusterState state, String id, Consumer<SnapshotLifecyclePolicyMetadata.Builder> change) {
        SnapshotLifecyclePolicyMetadata known = find(state, id);
        if (known == null) return state;
        SnapshotLifecyclePolicyMetadata.Builder builder = SnapshotLifecyclePolicyMetadata.builder(known);
        change.accept(builder);
        return with(state, id, builder.build());
    }

    private static ClusterState with(ClusterState state, Map<String, SnapshotLifecyclePolicyMetadata> policies, SnapshotLifecycleStats stats) {
        SnapshotLifecycleMetadata next = new SnapshotLifecycleMetadata(policies, mode(state), stats);
        return ClusterState.builder(state).metadata(Metadata.builder(state.metadata()).putCustom(SnapshotLifecycleMetadata.TYPE, next)).build();
    }
}
