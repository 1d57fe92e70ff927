package drover.shutdown;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.elasticsearch.ResourceNotFoundException;
import org.elasticsearch.action.ActionListener;
import org.elasticsearch.action.ActionRequestValidationException;
import org.elasticsearch.action.ActionType;
import org.elasticsearch.action.support.ActionFilters;
import org.elasticsearch.action.support.master.AcknowledgedRequest;
import org.elasticsearch.action.support.master.AcknowledgedResponse;
import org.elasticsearch.action.support.master.AcknowledgedTransportMasterNodeAction;
import org.elasticsearch.cluster.AckedClusterStateUpdateTask;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.block.ClusterBlockException;
import org.elasticsearch.cluster.block.ClusterBlockLevel;
import org.elasticsearch.cluster.metadata.Metadata;
import org.elasticsearch.cluster.metadata.NodesShutdownMetadata;
import org.elasticsearch.cluster.metadata.SingleNodeShutdownMetadata;
import org.elasticsearch.cluster.metadata.SingleNodeShutdownMetadata.Type;
import org.elasticsearch.cluster.node.DiscoveryNode;
import org.elasticsearch.cluster.routing.allocation.AllocationService;
import org.elasticsearch.cluster.service.ClusterService;
import org.elasticsearch.common.Priority;
import org.elasticsearch.common.io.stream.StreamInput;
import org.elasticsearch.common.io.stream.StreamOutput;
import org.elasticsearch.common.util.concurrent.EsExecutors;
import org.elasticsearch.core.TimeValue;
import org.elasticsearch.injection.guice.Inject;
import org.elasticsearch.tasks.Task;
import org.elasticsearch.threadpool.ThreadPool;
import org.elasticsearch.transport.TransportService;

/** The records in the cluster state, and the two actions that change them. */
final class ShutdownRecords {
    static final ActionType<AcknowledgedResponse> PUT = new ActionType<>("cluster:admin/shutdown/create");
    static final ActionType<AcknowledgedResponse> DELETE = new ActionType<>("cluster:admin/shutdown/delete");

    private ShutdownRecords() {}

    static NodesShutdownMetadata of(ClusterState state) {
        return state.metadata().custom(NodesShutdownMetadata.TYPE, NodesShutdownMetadata.EMPTY);
    }

    static ClusterState with(ClusterState state, NodesShutdownMetadata records) {
        Metadata.Builder metadata = Metadata.builder(state.metadata()).putCustom(NodesShutdownMetadata.TYPE, records);
        return ClusterState.builder(state).metadata(metadata).build();
    }

    /** The server's builder does not take over the two times of a record. */
    static SingleNodeShutdownMetadata seen(SingleNodeShutdownMetadata record, ClusterState state) {
        return SingleNodeShutdownMetadata.builder(record)
            .setAllocationDelay(record.getType() == Type.RESTART ? record.getAllocationDelay() : null)
            .setGracePeriod(record.getGracePeriod())
            .setNodeSeen(true)
            .setNodeEphemeralId(state.nodes().get(record.getNodeId()).getEphemeralId())
            .build();
    }

    /** Puts the record of a node, or, without a description, takes it away. */
    static final class Change extends AcknowledgedRequest<Change> {
        private final String nodeId;
        private ShutdownBody body;

        Change(TimeValue master, TimeValue ack, String nodeId) {
            super(master, ack);
            this.nodeId = nodeId;
        }

        void describe(ShutdownBody described) {
            body = described;
        }

        Change(StreamInput in) throws IOException {
            super(in);
            nodeId = in.readString();
            if (in.readBoolean())
                body = new ShutdownBody(in.readEnum(Type.class), in.readString(), in.readOptionalTimeValue(), in.readOptionalString(), in.readOptionalTimeValue());
        }

        @Override
        public void writeTo(StreamOutput out) throws IOException {
            super.writeTo(out);
            out.writeString(nodeId);
            out.writeBoolean(body != null);
            if (body == null) return;
            out.writeEnum(body.type());
            out.writeString(body.reason());
            out.writeOptionalTimeValue(body.delay());
            out.writeOptionalString(body.target());
            out.writeOptionalTimeValue(body.grace());
        }

        @Override
        public ActionRequestValidationException validate() {
            if (body == null) return null;
            Type type = body.type();
            List<String> problems = new ArrayList<>();
            if (body.delay() != null && type != Type.RESTART) problems.add("an allocation_delay is for a restart only");
            if ((body.target() != null) != (type == Type.REPLACE)) problems.add("a target_node_name is for a replacement, which needs one");
            if ((body.grace() != null) != (type == Type.SIGTERM)) problems.add("a grace_period is for SIGTERM, which needs one");
            if (problems.isEmpty()) return null;
            ActionRequestValidationException refused = new ActionRequestValidationException();
            refused.addValidationErrors(problems);
            return refused;
        }

        /** A restart without a delay is a new one each time: the record that is kept has the default delay. */
        private boolean repeats(SingleNodeShutdownMetadata known) {
            return known != null
                && known.getType() == body.type()
                && known.getReason().equals(body.reason())
                && Objects.equals(known.getAllocationDelay(), body.delay())
                && Objects.equals(known.getTargetNodeName(), body.target())
                && Objects.equals(known.getGracePeriod(), body.grace());
        }

        private SingleNodeShutdownMetadata toRecord(ClusterState state) {
            DiscoveryNode node = state.nodes().get(nodeId);
            SingleNodeShutdownMetadata record = SingleNodeShutdownMetadata.builder()
                .setNodeId(nodeId)
                .setType(body.type())
                .setReason(body.reason())
                .setAllocationDelay(body.delay())
                .setTargetNodeName(body.target())
                .setGracePeriod(body.grace())
                .setStartedAtMillis(System.currentTimeMillis())
                .setNodeSeen(false)
                .build();
            return node == null ? record : seen(record, state);
        }

        /** The same object where nothing changes. */
        private NodesShutdownMetadata apply(ClusterState state) {
            NodesShutdownMetadata records = of(state);
            if (body == null) return records.contains(nodeId) ? records.removeSingleNodeMetadata(nodeId) : records;
            return repeats(records.get(nodeId)) ? records : records.putSingleNodeMetadata(toRecord(state));
        }
    }

    /** Runs on the master. Whoever gets a response may rely on it that allocation knows the change. */
    private abstract static class Changing extends AcknowledgedTransportMasterNodeAction<Change> {
        private final AllocationService allocation;

        Changing(ActionType<?> action, TransportService transport, ClusterService cluster, ThreadPool pool, ActionFilters filters, AllocationService allocation) {
            super(action.name(), transport, cluster, pool, filters, Change::new, EsExecutors.DIRECT_EXECUTOR_SERVICE);
            this.allocation = allocation;
        }

        @Override
        protected ClusterBlockException checkBlock(Change request, ClusterState state) {
            return state.blocks().globalBlockedException(ClusterBlockLevel.METADATA_WRITE);
        }

        @Override
        protected void masterOperation(Task task, Change request, ClusterState state, ActionListener<AcknowledgedResponse> listener) {
            if (request.body == null && of(state).contains(request.nodeId) == false)
                throw new ResourceNotFoundException("node [" + request.nodeId + "] is not currently shutting down");
            clusterService.submitUnbatchedStateUpdateTask(actionName, new AckedClusterStateUpdateTask(Priority.URGENT, request, listener) {
                @Override
                public ClusterState execute(ClusterState current) {
                    NodesShutdownMetadata records = request.apply(current);
                    if (records == of(current)) return current;
                    return allocation.reroute(with(current, records), actionName, ActionListener.noop());
                }
            });
        }
    }

    public static final class Put extends Changing {
        @Inject
        public Put(TransportService transport, ClusterService cluster, ThreadPool pool, ActionFilters filters, AllocationService allocation) {
            super(PUT, transport, cluster, pool, filters, allocation);
        }
    }

    public static final class Delete extends Changing {
        @Inject
        public Delete(TransportService transport, ClusterService cluster, ThreadPool pool, ActionFilters filters, AllocationService allocation) {
            super(DELETE, transport, cluster, pool, filters, allocation);
        }
    }
}
