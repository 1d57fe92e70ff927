package drover.shutdown;

import drover.server.ServerPlugin;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import org.elasticsearch.action.ActionListener;
import org.elasticsearch.action.ActionRequestValidationException;
import org.elasticsearch.action.ActionResponse;
import org.elasticsearch.action.ActionType;
import org.elasticsearch.action.support.ActionFilters;
import org.elasticsearch.action.support.master.MasterNodeRequest;
import org.elasticsearch.action.support.master.TransportMasterNodeAction;
import org.elasticsearch.cluster.ClusterInfoService;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.block.ClusterBlockException;
import org.elasticsearch.cluster.block.ClusterBlockLevel;
import org.elasticsearch.cluster.metadata.ShutdownPersistentTasksStatus;
import org.elasticsearch.cluster.metadata.ShutdownPluginsStatus;
import org.elasticsearch.cluster.metadata.ShutdownShardMigrationStatus;
import org.elasticsearch.cluster.metadata.SingleNodeShutdownMetadata;
import org.elasticsearch.cluster.metadata.SingleNodeShutdownMetadata.Status;
import org.elasticsearch.cluster.routing.ShardRouting;
import org.elasticsearch.cluster.routing.allocation.AllocationService;
import org.elasticsearch.cluster.routing.allocation.ShardAllocationDecision;
import org.elasticsearch.cluster.service.ClusterService;
import org.elasticsearch.common.io.stream.StreamInput;
import org.elasticsearch.common.io.stream.StreamOutput;
import org.elasticsearch.common.io.stream.Writeable;
import org.elasticsearch.core.TimeValue;
import org.elasticsearch.injection.guice.Inject;
import org.elasticsearch.shutdown.PluginShutdownService;
import org.elasticsearch.snapshots.SnapshotsInfoService;
import org.elasticsearch.tasks.Task;
import org.elasticsearch.threadpool.ThreadPool;
import org.elasticsearch.transport.TransportService;
import org.elasticsearch.xcontent.ToXContent;
import org.elasticsearch.xcontent.ToXContentObject;
import org.elasticsearch.xcontent.XContentBuilder;

/** How far the nodes with records have got, as the master sees it. */
final class ShutdownReport {
    static final ActionType<Answer> GET = new ActionType<>("cluster:admin/shutdown/get");

    private ShutdownReport() {}

    /** Of these nodes; of all with a record where none is named. */
    static final class Question extends MasterNodeRequest<Question> {
        private final String[] nodeIds;

        Question(TimeValue master, String[] nodeIds) {
            super(master);
            this.nodeIds = nodeIds;
        }

        Question(StreamInput in) throws IOException {
            super(in);
            nodeIds = in.readStringArray();
        }

        @Override
        public void writeTo(StreamOutput out) throws IOException {
            super.writeTo(out);
            out.writeStringArray(nodeIds);
        }

        @Override
        public ActionRequestValidationException validate() {
            return null;
        }
    }

    private record OneNode(SingleNodeShutdownMetadata record, ShutdownShardMigrationStatus shards, ShutdownPluginsStatus plugins)
        implements
            Writeable,
            ToXContentObject {
        OneNode(StreamInput in) throws IOException {
            this(new SingleNodeShutdownMetadata(in), new ShutdownShardMigrationStatus(in), new ShutdownPluginsStatus(in));
        }

        @Override
        public void writeTo(StreamOutput out) throws IOException {
            record.writeTo(out);
            shards.writeTo(out);
            plugins.writeTo(out);
        }

        @Override
        public XContentBuilder toXContent(XContentBuilder json, Params params) throws IOException {
            ShutdownPersistentTasksStatus tasks = ServerPlugin.noTasksLeft();
            json.startObject().field("node_id", record.getNodeId()).field("type", record.getType()).field("reason", record.getReason());
            if (record.getAllocationDelay() != null) json.field("allocation_delay", record.getAllocationDelay().getStringRep());
            json.timestampFieldsFromUnixEpochMillis("shutdown_startedmillis", "shutdown_started", record.getStartedAtMillis());
            json.field("status", Status.combine(shards.getStatus(), tasks.getStatus(), plugins.getStatus()));
            json.field("shard_migration");
            for (Iterator<? extends ToXContent> parts = shards.toXContentChunked(params); parts.hasNext();) parts.next().toXContent(json, params);
            json.field("persistent_tasks", tasks).field("plugins", plugins);
            if (record.getTargetNodeName() != null) json.field("target_node_name", record.getTargetNodeName());
            if (record.getGracePeriod() != null) json.field("grace_period", record.getGracePeriod().getStringRep());
            return json.endObject();
        }
    }

    static final class Answer extends ActionResponse implements ToXContentObject {
        private final List<OneNode> nodes;

        private Answer(List<OneNode> nodes) {
            this.nodes = nodes;
        }

        Answer(StreamInput in) throws IOException {
            this(in.readCollectionAsList(OneNode::new));
        }

        @Override
        public void writeTo(StreamOutput out) throws IOException {
            out.writeCollection(nodes);
        }

        @Override
        public XContentBuilder toXContent(XContentBuilder json, Params params) throws IOException {
            json.startObject().startArray("nodes");
            for (OneNode node : nodes) node.toXContent(json, params);
            return json.endArray().endObject();
        }
    }

    public static final class Get extends TransportMasterNodeAction<Question, Answer> {
        private final AllocationService allocation;
        private final ClusterInfoService sizes;
        private final SnapshotsInfoService snapshots;
        private final PluginShutdownService plugins;

        @Inject
        public Get(
            TransportService transport,
            ClusterService cluster,
            ThreadPool pool,
            ActionFilters filters,
            AllocationService allocation,
            ClusterInfoService sizes,
            SnapshotsInfoService snapshots,
            PluginShutdownService plugins
        ) {
            super(GET.name(), transport, cluster, pool, filters, Question::new, Answer::new, pool.executor(ThreadPool.Names.MANAGEMENT));
            this.allocation = allocation;
            this.sizes = sizes;
            this.snapshots = snapshots;
            this.plugins = plugins;
        }

        @Override
        protected ClusterBlockException checkBlock(Question question, ClusterState state) {
            return state.blocks().globalBlockedException(ClusterBlockLevel.METADATA_READ);
        }

        @Override
        protected void masterOperation(Task task, Question question, ClusterState state, ActionListener<Answer> listener) {
            Map<String, SingleNodeShutdownMetadata> records = new TreeMap<>(ShutdownRecords.of(state).getAll());
            Collection<SingleNodeShutdownMetadata> wanted = question.nodeIds.length == 0
                ? records.values()
                : Arrays.stream(question.nodeIds).map(records::get).filter(Objects::nonNull).toList();
            listener.onResponse(new Answer(wanted.stream().map(record -> look(record, state)).toList()));
        }

        private OneNode look(SingleNodeShutdownMetadata record, ClusterState state) {
            Function<ShardRouting, ShardAllocationDecision> why = ServerPlugin.explaining(
                allocation,
                state,
                sizes.getClusterInfo(),
                snapshots.snapshotShardSizes()
            );
            boolean ready = plugins.readyToShutdown(record.getNodeId(), record.getType());
            return new OneNode(record, new LeavingShards(record, state, why).status(), new ShutdownPluginsStatus(ready));
        }
    }
}
