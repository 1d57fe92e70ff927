package drover.lifecycle;

import java.util.function.UnaryOperator;
import org.elasticsearch.action.ActionListener;
import org.elasticsearch.action.ActionResponse;
import org.elasticsearch.action.ActionType;
import org.elasticsearch.action.support.ActionFilters;
import org.elasticsearch.action.support.master.AcknowledgedRequest;
import org.elasticsearch.action.support.master.AcknowledgedResponse;
import org.elasticsearch.action.support.master.TransportMasterNodeAction;
import org.elasticsearch.cluster.AckedClusterStateUpdateTask;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.block.ClusterBlockException;
import org.elasticsearch.cluster.block.ClusterBlockLevel;
import org.elasticsearch.cluster.service.ClusterService;
import org.elasticsearch.common.io.stream.Writeable;
import org.elasticsearch.common.util.concurrent.EsExecutors;
import org.elasticsearch.tasks.Task;
import org.elasticsearch.threadpool.ThreadPool;
import org.elasticsearch.transport.TransportService;

/** An action that the elected master carries out. */
abstract class OnMaster<Q extends AcknowledgedRequest<Q>, A extends ActionResponse> extends TransportMasterNodeAction<Q, A> {
    OnMaster(
        ActionType<A> action,
        Writeable.Reader<Q> request,
        Writeable.Reader<A> response,
        TransportService transport,
        ClusterService cluster,
        ThreadPool pool,
        ActionFilters filters
    ) {
        super(action.name(), transport, cluster, pool, filters, request, response, EsExecutors.DIRECT_EXECUTOR_SERVICE);
    }

    abstract void run(Q request, ClusterState state, ActionListener<A> listener);

    @Override
    protected void masterOperation(Task task, Q request, ClusterState state, ActionListener<A> listener) {
        run(request, state, listener);
    }

    @Override
    protected ClusterBlockException checkBlock(Q request, ClusterState state) {
        return state.blocks().globalBlockedException(ClusterBlockLevel.METADATA_WRITE);
    }

    final void update(Q request, ActionListener<AcknowledgedResponse> listener, UnaryOperator<ClusterState> change) {
        clusterService.submitUnbatchedStateUpdateTask(actionName, new AckedClusterStateUpdateTask(request, listener) {
            @Override
            public ClusterState execute(ClusterState state) {
                return change.apply(state);
            }
        });
    }
}
