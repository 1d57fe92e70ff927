package drover.lifecycle;

import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.elasticsearch.ResourceNotFoundException;
import org.elasticsearch.action.ActionListener;
import org.elasticsearch.action.support.ActionFilters;
import org.elasticsearch.action.support.master.AcknowledgedResponse;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.SnapshotsInProgress;
import org.elasticsearch.cluster.metadata.RepositoriesMetadata;
import org.elasticsearch.cluster.service.ClusterService;
import org.elasticsearch.core.TimeValue;
import org.elasticsearch.injection.guice.Inject;
import org.elasticsearch.threadpool.ThreadPool;
import org.elasticsearch.transport.TransportService;
import org.elasticsearch.xpack.core.ClientHelper;
import org.elasticsearch.xpack.core.ilm.LifecycleSettings;
import org.elasticsearch.xpack.core.slm.SnapshotLifecyclePolicy;
import org.elasticsearch.xpack.core.slm.SnapshotLifecyclePolicyItem;
import org.elasticsearch.xpack.core.slm.SnapshotLifecyclePolicyMetadata;
import org.elasticsearch.xpack.core.slm.SnapshotLifecycleStats.SnapshotPolicyStats;
import org.elasticsearch.xpack.core.slm.action.DeleteSnapshotLifecycleAction;
import org.elasticsearch.xpack.core.slm.action.GetSnapshotLifecycleAction;
import org.elasticsearch.xpack.core.slm.action.PutSnapshotLifecycleAction;

/** Policies are put, read and deleted. */
final class PolicyActions {
    private PolicyActions() {}

    public static final class Put extends OnMaster<PutSnapshotLifecycleAction.Request, AcknowledgedResponse> {
        @Inject
        public Put(TransportService transport, ClusterService cluster, ThreadPool pool, ActionFilters filters) {
            super(PutSnapshotLifecycleAction.INSTANCE, PutSnapshotLifecycleAction.Request::new, AcknowledgedResponse::readFrom, transport, cluster, pool, filters);
        }

        @Override
        void run(PutSnapshotLifecycleAction.Request request, ClusterState state, ActionListener<AcknowledgedResponse> listener) {
            SnapshotLifecyclePolicy policy = request.getLifecycle();
            if (RepositoriesMetadata.get(state).repository(policy.getRepository()) == null)
                throw new IllegalArgumentException("no such repository [" + policy.getRepository() + "]");
            refuseFrequent(policy, LifecycleSettings.SLM_MINIMUM_INTERVAL_SETTING.get(state.metadata().settings()));
            Map<String, String> caller = ClientHelper.getPersistableSafeSecurityHeaders(threadPool.getThreadContext(), state);
            update(request, listener, current -> {
                SnapshotLifecyclePolicyMetadata known = Policies.find(current, policy.getId());
                if (known != null && known.getPolicy().equals(policy) && known.getHeaders().equals(caller)) return current;
                SnapshotLifecyclePolicyMetadata next = (known == null ? SnapshotLifecyclePolicyMetadata.builder() : SnapshotLifecyclePolicyMetadata.builder(known))
                    .setPolicy(policy)
                    .setHeaders(caller)
                    .setVersion(known == null ? 1 : known.getVersion() + 1)
                    .setModifiedDate(System.currentTimeMillis())
                    .build();
                return Policies.with(current, policy.getId(), next);
            });
        }

        private static void refuseFrequent(SnapshotLifecyclePolicy policy, TimeValue least) {
            TimeValue every = policy.calculateNextInterval(Clock.systemUTC());
            if (every.millis() <= 0 || every.millis() >= least.millis()) return;
            throw new IllegalArgumentException(
                "invalid schedule [" + policy.getSchedule() + "]: schedule would be too frequent, executing more than every [" + least.getStringRep() + "]"
            );
        }
    }

    public static final class Delete extends OnMaster<DeleteSnapshotLifecycleAction.Request, AcknowledgedResponse> {
        @Inject
        public Delete(TransportService transport, ClusterService cluster, ThreadPool pool, ActionFilters filters) {
            super(DeleteSnapshotLifecycleAction.INSTANCE, DeleteSnapshotLifecycleAction.Request::new, AcknowledgedResponse::readFrom, transport, cluster, pool, filters);
        }

        @Override
        void run(DeleteSnapshotLifecycleAction.Request request, ClusterState state, ActionListener<AcknowledgedResponse> listener) {
            String id = request.getLifecycleId();
            if (Policies.find(state, id) == null) throw new ResourceNotFoundException("snapshot lifecycle policy not found: {}", id);
            update(request, listener, current -> Policies.counted(Policies.with(current, id, null), stats -> stats.removePolicy(id)));
        }
    }

    public static final class Get extends OnMaster<GetSnapshotLifecycleAction.Request, GetSnapshotLifecycleAction.Response> {
        @Inject
        public Get(TransportService transport, ClusterService cluster, ThreadPool pool, ActionFilters filters) {
            super(
                GetSnapshotLifecycleAction.INSTANCE,
                GetSnapshotLifecycleAction.Request::new,
                GetSnapshotLifecycleAction.Response::new,
                transport,
                cluster,
                pool,
                filters
            );
        }

        @Override
        void run(GetSnapshotLifecycleAction.Request request, ClusterState state, ActionListener<GetSnapshotLifecycleAction.Response> listener) {
            Map<String, SnapshotLifecyclePolicyMetadata> policies = new TreeMap<>(Policies.of(state).getSnapshotConfigurations());
            List<String> wanted = List.of(request.getLifecycleIds());
            if (wanted.isEmpty() == false) policies.keySet().retainAll(wanted);
            if (policies.isEmpty() && wanted.isEmpty() == false)
                throw new ResourceNotFoundException("snapshot lifecycle policy or policies {} not found", wanted);
            listener.onResponse(new GetSnapshotLifecycleAction.Response(policies.values().stream().map(policy -> item(policy, state)).toList()));
        }

        private static SnapshotLifecyclePolicyItem item(SnapshotLifecyclePolicyMetadata policy, ClusterState state) {
            String id = policy.getId();
            SnapshotLifecyclePolicyItem.SnapshotInProgress running = SnapshotsInProgress.get(state)
                .asStream()
                .filter(entry -> entry.userMetadata() != null && id.equals(entry.userMetadata().get("policy")))
                .findFirst()
                .map(SnapshotLifecyclePolicyItem.SnapshotInProgress::fromEntry)
                .orElse(null);
            SnapshotPolicyStats counts = Policies.of(state).getStats().getMetrics().getOrDefault(id, new SnapshotPolicyStats(id));
            return new SnapshotLifecyclePolicyItem(policy, running, counts);
        }
    }
}
