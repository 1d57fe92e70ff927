package drover.lifecycle;

import drover.lifecycle.ByMaster.Asked;
import drover.lifecycle.ByMaster.Changed;
import drover.lifecycle.ByMaster.Place;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.elasticsearch.ResourceNotFoundException;
import org.elasticsearch.action.support.ActionFilters;
import org.elasticsearch.action.support.master.AcknowledgedRequest;
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
import org.elasticsearch.xpack.core.ilm.OperationMode;
import org.elasticsearch.xpack.core.ilm.OperationModeUpdateTask;
import org.elasticsearch.xpack.core.slm.SnapshotLifecyclePolicy;
import org.elasticsearch.xpack.core.slm.SnapshotLifecyclePolicyItem;
import org.elasticsearch.xpack.core.slm.SnapshotLifecyclePolicyMetadata;
import org.elasticsearch.xpack.core.slm.SnapshotLifecycleStats.SnapshotPolicyStats;
import org.elasticsearch.xpack.core.slm.action.DeleteSnapshotLifecycleAction;
import org.elasticsearch.xpack.core.slm.action.ExecuteSnapshotLifecycleAction;
import org.elasticsearch.xpack.core.slm.action.ExecuteSnapshotRetentionAction;
import org.elasticsearch.xpack.core.slm.action.GetSLMStatusAction;
import org.elasticsearch.xpack.core.slm.action.GetSnapshotLifecycleAction;
import org.elasticsearch.xpack.core.slm.action.GetSnapshotLifecycleStatsAction;
import org.elasticsearch.xpack.core.slm.action.PutSnapshotLifecycleAction;
import org.elasticsearch.xpack.core.slm.action.StartSLMAction;
import org.elasticsearch.xpack.core.slm.action.StopSLMAction;

/** What is done for each of x-pack-core's requests ("Snapshot lifecycle management APIs"). */
final class Requests {
    private Requests() {}

    public static final class PutPolicy extends Changed<PutSnapshotLifecycleAction.Request> {
        @Inject
        public PutPolicy(TransportService t, ClusterService c, ThreadPool p, ActionFilters f) {
            super(PutSnapshotLifecycleAction.INSTANCE, PutSnapshotLifecycleAction.Request::new, new Place(t, c, p, f));
        }

        @Override
        UnaryOperator<ClusterState> change(PutSnapshotLifecycleAction.Request order, ClusterState state) {
            SnapshotLifecyclePolicy policy = order.getLifecycle();
            boolean registered = RepositoriesMetadata.get(state).repositories().stream().anyMatch(one -> one.name().equals(policy.getRepository()));
            if (registered == false) throw new IllegalArgumentException("no such repository [" + policy.getRepository() + "]");
            checkPause(policy, LifecycleSettings.SLM_MINIMUM_INTERVAL_SETTING.get(state.metadata().settings()));
            Map<String, String> client = ClientHelper.getPersistableSafeSecurityHeaders(threadPool.getThreadContext(), state);
            return current -> {
                Book before = Book.of(current), after = before.put(policy, client, System.currentTimeMillis());
                return after == before ? current : after.into(current);
            };
        }

        /** Contract cases of the suite hold these words against the documentation of `slm.minimum_interval`. */
        private static void checkPause(SnapshotLifecyclePolicy policy, TimeValue shortest) {
            long pause = policy.calculateNextInterval(Clock.systemUTC()).millis();
            if (pause > 0 && pause < shortest.millis()) {
                String rule = "schedule would be too frequent, executing more than every [" + shortest.getStringRep() + "]";
                throw new IllegalArgumentException("invalid schedule [" + policy.getSchedule() + "]: " + rule);
            }
        }
    }

    public static final class DeletePolicy extends Changed<DeleteSnapshotLifecycleAction.Request> {
        @Inject
        public DeletePolicy(TransportService t, ClusterService c, ThreadPool p, ActionFilters f) {
            super(DeleteSnapshotLifecycleAction.INSTANCE, DeleteSnapshotLifecycleAction.Request::new, new Place(t, c, p, f));
        }

        @Override
        UnaryOperator<ClusterState> change(DeleteSnapshotLifecycleAction.Request order, ClusterState state) {
            Book.of(state).without(order.getLifecycleId());
            return current -> Book.of(current).without(order.getLifecycleId()).into(current);
        }
    }

    public static final class ListPolicies extends Asked<GetSnapshotLifecycleAction.Request, GetSnapshotLifecycleAction.Response> {
        @Inject
        public ListPolicies(TransportService t, ClusterService c, ThreadPool p, ActionFilters f) {
            super(GetSnapshotLifecycleAction.INSTANCE, GetSnapshotLifecycleAction.Request::new, GetSnapshotLifecycleAction.Response::new, new Place(t, c, p, f));
        }

        @Override
        GetSnapshotLifecycleAction.Response answer(GetSnapshotLifecycleAction.Request question, ClusterState state) {
            Book book = Book.of(state);
            Set<String> asked = Set.of(question.getLifecycleIds());
            List<SnapshotLifecyclePolicyItem> found = new ArrayList<>();
            for (SnapshotLifecyclePolicyMetadata entry : book.entries().values()) {
                if (asked.isEmpty() == false && asked.contains(entry.getId()) == false) continue;
                SnapshotPolicyStats nothing = new SnapshotPolicyStats(entry.getId());
                found.add(new SnapshotLifecyclePolicyItem(entry, running(entry.getId(), state), book.counts().getMetrics().getOrDefault(entry.getId(), nothing)));
            }
            if (asked.size() > 0 && found.size() == 0)
                throw new ResourceNotFoundException("snapshot lifecycle policy or policies {} not found", List.of(question.getLifecycleIds()));
            return new GetSnapshotLifecycleAction.Response(found);
        }

        /** The snapshot of this policy that runs, if one does: its metadata name the policy. */
        private static SnapshotLifecyclePolicyItem.SnapshotInProgress running(String id, ClusterState state) {
            for (SnapshotsInProgress.Entry each : SnapshotsInProgress.get(state).asStream().toList()) {
                Map<String, Object> metadata = each.userMetadata();
                if (metadata != null && id.equals(metadata.get("policy"))) return SnapshotLifecyclePolicyItem.SnapshotInProgress.fromEntry(each);
            }
            return null;
        }
    }

    public static final class RunPolicy extends Asked<ExecuteSnapshotLifecycleAction.Request, ExecuteSnapshotLifecycleAction.Response> {
        @Inject
        public RunPolicy(TransportService t, ClusterService c, ThreadPool p, ActionFilters f) {
            super(ExecuteSnapshotLifecycleAction.INSTANCE, ExecuteSnapshotLifecycleAction.Request::new, ExecuteSnapshotLifecycleAction.Response::new, new Place(t, c, p, f));
        }

        @Override
        ExecuteSnapshotLifecycleAction.Response answer(ExecuteSnapshotLifecycleAction.Request question, ClusterState state) {
            String id = question.getLifecycleId();
            SnapshotLifecyclePolicyMetadata entry = Book.of(state)
                .find(id)
                .orElseThrow(() -> new IllegalArgumentException("no such snapshot lifecycle policy [" + id + "]"));
            return new ExecuteSnapshotLifecycleAction.Response(SnapshotLifecycle.caretaker.snapshot(entry));
        }
    }

    public static final class RunRetention extends Asked<ExecuteSnapshotRetentionAction.Request, AcknowledgedResponse> {
        @Inject
        public RunRetention(TransportService t, ClusterService c, ThreadPool p, ActionFilters f) {
            super(ExecuteSnapshotRetentionAction.INSTANCE, ExecuteSnapshotRetentionAction.Request::new, AcknowledgedResponse::readFrom, new Place(t, c, p, f));
        }

        @Override
        AcknowledgedResponse answer(ExecuteSnapshotRetentionAction.Request question, ClusterState state) {
            SnapshotLifecycle.caretaker.clearOut();
            return AcknowledgedResponse.TRUE;
        }
    }

    public static final class Counts extends Asked<AcknowledgedRequest.Plain, GetSnapshotLifecycleStatsAction.Response> {
        @Inject
        public Counts(TransportService t, ClusterService c, ThreadPool p, ActionFilters f) {
            super(GetSnapshotLifecycleStatsAction.INSTANCE, AcknowledgedRequest.Plain::new, GetSnapshotLifecycleStatsAction.Response::new, new Place(t, c, p, f));
        }

        @Override
        GetSnapshotLifecycleStatsAction.Response answer(AcknowledgedRequest.Plain question, ClusterState state) {
            return new GetSnapshotLifecycleStatsAction.Response(Book.of(state).counts());
        }
    }

    public static final class Mode extends Asked<AcknowledgedRequest.Plain, GetSLMStatusAction.Response> {
        @Inject
        public Mode(TransportService t, ClusterService c, ThreadPool p, ActionFilters f) {
            super(GetSLMStatusAction.INSTANCE, AcknowledgedRequest.Plain::new, GetSLMStatusAction.Response::new, new Place(t, c, p, f));
        }

        @Override
        GetSLMStatusAction.Response answer(AcknowledgedRequest.Plain question, ClusterState state) {
            return new GetSLMStatusAction.Response(Book.of(state).mode());
        }
    }

    public static final class TurnOn extends Changed<StartSLMAction.Request> {
        @Inject
        public TurnOn(TransportService t, ClusterService c, ThreadPool p, ActionFilters f) {
            super(StartSLMAction.INSTANCE, StartSLMAction.Request::new, new Place(t, c, p, f));
        }

        @Override
        UnaryOperator<ClusterState> change(StartSLMAction.Request order, ClusterState state) {
            return current -> turned(current, OperationMode.RUNNING);
        }
    }

    /** x-pack-core leads from running to stopped by way of stopping; nothing is waited for here. */
    public static final class TurnOff extends Changed<StopSLMAction.Request> {
        @Inject
        public TurnOff(TransportService t, ClusterService c, ThreadPool p, ActionFilters f) {
            super(StopSLMAction.INSTANCE, StopSLMAction.Request::new, new Place(t, c, p, f));
        }

        @Override
        UnaryOperator<ClusterState> change(StopSLMAction.Request order, ClusterState state) {
            return current -> turned(turned(current, OperationMode.STOPPING), OperationMode.STOPPED);
        }
    }

    private static ClusterState turned(ClusterState state, OperationMode mode) {
        return OperationModeUpdateTask.slmMode(mode).execute(state);
    }
}
