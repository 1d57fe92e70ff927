package drover.shutdown;

import java.util.List;
import org.elasticsearch.cluster.ClusterChangedEvent;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.ClusterStateListener;
import org.elasticsearch.cluster.ClusterStateUpdateTask;
import org.elasticsearch.cluster.metadata.NodesShutdownMetadata;
import org.elasticsearch.cluster.metadata.SingleNodeShutdownMetadata;
import org.elasticsearch.cluster.service.ClusterService;
import org.elasticsearch.logging.LogManager;
import org.elasticsearch.logging.Logger;

/** Notes in a record, made while its node was away, that the node has come: its next absence then means that it is gone. */
final class SeenNodes implements ClusterStateListener {
    private static final Logger logger = LogManager.getLogger(SeenNodes.class);
    private final ClusterService cluster;

    SeenNodes(ClusterService cluster) {
        this.cluster = cluster;
    }

    @Override
    public void clusterChanged(ClusterChangedEvent event) {
        if (event.localNodeMaster() == false || arrived(event.state()).isEmpty()) return;
        cluster.submitUnbatchedStateUpdateTask("note nodes with shutdown records", new ClusterStateUpdateTask() {
            @Override
            public ClusterState execute(ClusterState state) {
                NodesShutdownMetadata records = ShutdownRecords.of(state);
                for (SingleNodeShutdownMetadata record : arrived(state)) records = records.putSingleNodeMetadata(ShutdownRecords.seen(record, state));
                return ShutdownRecords.with(state, records);
            }

            @Override
            public void onFailure(Exception problem) {
                logger.warn("the arrival of a node with a shutdown record was not noted", problem);
            }
        });
    }

    private static List<SingleNodeShutdownMetadata> arrived(ClusterState state) {
        return ShutdownRecords.of(state)
            .getAll()
            .values()
            .stream()
            .filter(record -> record.getNodeSeen() == false && state.nodes().nodeExists(record.getNodeId()))
            .toList();
    }
}
