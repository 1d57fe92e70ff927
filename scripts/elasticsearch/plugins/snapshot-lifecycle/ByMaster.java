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

/** Two kinds of x-pack-core's requests: the elected master is asked something, or changes the book. */
final class ByMaster {
    private ByMaster() {}

    /** Of the server, for whoever is made by it. */
    record Place(TransportService transport, ClusterService cluster, ThreadPool pool, ActionFilters filters) {}

    abstract static class Asked<Q extends AcknowledgedRequest<Q>, A extends ActionResponse> extends TransportMasterNodeAction<Q, A> {
        Asked(ActionType<A> type, Writeable.Reader<Q> question, Writeable.Reader<A> answer, Place at) {
            super(type.name(), at.transport, at.cluster, at.pool, at.filters, question, answer, EsExecutors.DIRECT_EXECUTOR_SERVICE);
        }

        abstract A answer(Q question, ClusterState state);

        @Override
        protected void masterOperation(Task task, Q question, ClusterState state, ActionListener<A> asker) {
            ActionListener.completeWith(asker, () -> answer(question, state));
        }

        @Override
        protected ClusterBlockException checkBlock(Q question, ClusterState state) {
            return state.blocks().globalBlockedException(ClusterBlockLevel.METADATA_READ);
        }
    }

    abstract static class Changed<Q extends AcknowledgedRequest<Q>> extends TransportMasterNodeAction<Q, AcknowledgedResponse> {
        Changed(ActionType<AcknowledgedResponse> type, Writeable.Reader<Q> order, Place at) {
            super(type.name(), at.transport, at.cluster, at.pool, at.filters, order, AcknowledgedResponse::readFrom, EsExecutors.DIRECT_EXECUTOR_SERVICE);
        }

        /** What is to become of the state at its turn. Refuses with an exception what can be refused before. */
        abstract UnaryOperator<ClusterState> change(Q order, ClusterState state);

        @Override
        protected void masterOperation(Task task, Q order, ClusterState state, ActionListener<AcknowledgedResponse> client) {
            UnaryOperator<ClusterState> change = change(order, state);
            clusterService.submitUnbatchedStateUpdateTask("drover: " + actionName, new AckedClusterStateUpdateTask(order, client) {
                @Override
                public ClusterState execute(ClusterState current) {
                    return change.apply(current);
                }
            });
        }

        @Override
        protected ClusterBlockException checkBlock(Q order, ClusterState state) {
            return state.blocks().globalBlockedException(ClusterBlockLevel.METADATA_WRITE);
        }
    }
}
