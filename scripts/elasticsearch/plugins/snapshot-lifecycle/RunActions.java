package drover.lifecycle;

import org.elasticsearch.action.ActionListener;
import org.elasticsearch.action.support.ActionFilters;
import org.elasticsearch.action.support.master.AcknowledgedRequest;
import org.elasticsearch.action.support.master.AcknowledgedResponse;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.service.ClusterService;
import org.elasticsearch.injection.guice.Inject;
import org.elasticsearch.threadpool.ThreadPool;
import org.elasticsearch.transport.TransportService;
import org.elasticsearch.xpack.core.ilm.OperationMode;
import org.elasticsearch.xpack.core.ilm.OperationModeUpdateTask;
import org.elasticsearch.xpack.core.slm.SnapshotLifecyclePolicyMetadata;
import org.elasticsearch.xpack.core.slm.action.ExecuteSnapshotLifecycleAction;
import org.elasticsearch.xpack.core.slm.action.ExecuteSnapshotRetentionAction;
import org.elasticsearch.xpack.core.slm.action.GetSLMStatusAction;
import org.elasticsearch.xpack.core.slm.action.GetSnapshotLifecycleStatsAction;
import org.elasticsearch.xpack.core.slm.action.StartSLMAction;
import org.elasticsearch.xpack.core.slm.action.StopSLMAction;

/** Policies and retention are run, counted, stopped and started. */
final class RunActions {
    private RunActions() {}

    public static final class Execute extends OnMaster<ExecuteSnapshotLifecycleAction.Request, ExecuteSnapshotLifecycleAction.Response> {
        @Inject
        public Execute(TransportService transport, ClusterService cluster, ThreadPool pool, ActionFilters filters) {
            super(
                ExecuteSnapshotLifecycleAction.INSTANCE,
                ExecuteSnapshotLifecycleAction.Request::new,
                ExecuteSnapshotLifecycleAction.Response::new,
                transport,
                cluster,
                pool,
                filters
            );
        }

        @Override
        void run(ExecuteSnapshotLifecycleAction.Request request, ClusterState state, ActionListener<ExecuteSnapshotLifecycleAction.Response> listener) {
            SnapshotLifecyclePolicyMetadata policy = Policies.find(state, request.getLifecycleId());
            if (policy == null) throw new IllegalArgumentException("no such snapshot lifecycle policy [" + request.getLifecycleId() + "]");
            listener.onResponse(new ExecuteSnapshotLifecycleAction.Response(SnapshotLifecycle.runner.take(policy)));
        }
    }

    public static final class Retain extends OnMaster<ExecuteSnapshotRetentionAction.Request, AcknowledgedResponse> {
        @Inject
        public Retain(TransportService transport, ClusterService cluster, ThreadPool pool, ActionFilters filters) {
            super(ExecuteSnapshotRetentionAction.INSTANCE, ExecuteSnapshotRetentionAction.Request::new, AcknowledgedResponse::readFrom, transport, cluster, pool, filters);
        }

        @Override
        void run(ExecuteSnapshotRetentionAction.Request request, ClusterState state, ActionListener<AcknowledgedResponse> listener) {
            SnapshotLifecycle.runner.retain();
            listener.onResponse(AcknowledgedResponse.TRUE);
        }
    }

    public static final class Stats extends OnMaster<AcknowledgedRequest.Plain, GetSnapshotLifecycleStatsAction.Response> {
        @Inject
        public Stats(TransportService transport, ClusterService cluster, ThreadPool pool, ActionFilters filters) {
            super(
                GetSnapshotLifecycleStatsAction.INSTANCE,
                AcknowledgedRequest.Plain::new,
                GetSnapshotLifecycleStatsAction.Response::new,
                transport,
                cluster,
                pool,
                filters
            );
        }

        @Override
        void run(AcknowledgedRequest.Plain request, ClusterState state, ActionListener<GetSnapshotLifecycleStatsAction.Response> listener) {
            listener.onResponse(new GetSnapshotLifecycleStatsAction.Response(Policies.of(state).getStats()));
        }
    }

    public static final class Status extends OnMaster<AcknowledgedRequest.Plain, GetSLMStatusAction.Response> {
        @Inject
        public Status(TransportService transport, ClusterService cluster, ThreadPool pool, ActionFilters filters) {
            super(GetSLMStatusAction.INSTANCE, AcknowledgedRequest.Plain::new, GetSLMStatusAction.Response::new, transport, cluster, pool, filters);
        }

        @Override
        void run(AcknowledgedRequest.Plain request, ClusterState state, ActionListener<GetSLMStatusAction.Response> listener) {
            listener.onResponse(new GetSLMStatusAction.Response(Policies.mode(state)));
        }
    }

    public static final class Start extends OnMaster<StartSLMAction.Request, AcknowledgedResponse> {
        @Inject
        public Start(TransportService transport, ClusterService cluster, ThreadPool pool, ActionFilters filters) {
            super(StartSLMAction.INSTANCE, StartSLMAction.Request::new, AcknowledgedResponse::readFrom, transport, cluster, pool, filters);
        }

        @Override
        void run(StartSLMAction.Request request, ClusterState state, ActionListener<AcknowledgedResponse> listener) {
            update(request, listener, OperationModeUpdateTask.slmMode(OperationMode.RUNNING)::execute);
        }
    }

    /** The state between running and stopped is passed through at once. */
    public static final class Stop extends OnMaster<StopSLMAction.Request, AcknowledgedResponse> {
        @Inject
        public Stop(TransportService transport, ClusterService cluster, ThreadPool pool, ActionFilters filters) {
            super(StopSLMAction.INSTANCE, StopSLMAction.Request::new, AcknowledgedResponse::readFrom, transport, cluster, pool, filters);
        }

        @Override
        void run(StopSLMAction.Request request, ClusterState state, ActionListener<AcknowledgedResponse> listener) {
            update(request, listener, current -> {
                ClusterState stopping = OperationModeUpdateTask.slmMode(OperationMode.STOPPING).execute(current);
                return OperationModeUpdateTask.slmMode(OperationMode.STOPPED).execute(stopping);
            });
        }
    }
}
