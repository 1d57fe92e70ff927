package drover.shutdown;

import java.util.List;
import java.util.function.Function;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.metadata.ShutdownShardMigrationStatus;
import org.elasticsearch.cluster.metadata.SingleNodeShutdownMetadata;
import org.elasticsearch.cluster.metadata.SingleNodeShutdownMetadata.Status;
import org.elasticsearch.cluster.metadata.SingleNodeShutdownMetadata.Type;
import org.elasticsearch.cluster.routing.RoutingNode;
import org.elasticsearch.cluster.routing.ShardRouting;
import org.elasticsearch.cluster.routing.ShardRoutingState;
import org.elasticsearch.cluster.routing.allocation.AllocationDecision;
import org.elasticsearch.cluster.routing.allocation.ShardAllocationDecision;

/** How far the shards of one node with a record have got ("Get shutdown API"). What may move is the server's own decision. */
final class LeavingShards {
    private static final String HINT = ", see [node_allocation_decision] for details or use the cluster allocation explain API";
    private final SingleNodeShutdownMetadata record;
    private final ClusterState state;
    private final Function<ShardRouting, ShardAllocationDecision> why;

    LeavingShards(SingleNodeShutdownMetadata record, ClusterState state, Function<ShardRouting, ShardAllocationDecision> why) {
        this.record = record;
        this.state = state;
        this.why = why;
    }

    ShutdownShardMigrationStatus status() {
        if (record.getType() == Type.RESTART) return plain(Status.COMPLETE, "no shard relocation is necessary for a node restart");
        boolean present = state.nodes().nodeExists(record.getNodeId());
        if (present == false && record.getNodeSeen() == false) return plain(Status.NOT_STARTED, "node is not currently part of the cluster");
        List<ShardRouting> lost = state.getRoutingNodes().unassigned().stream().filter(this::wasHereAlone).toList();
        if (lost.isEmpty() == false) return stalled(lost.size(), lost.get(0), " is unassigned", why.apply(lost.get(0)));
        RoutingNode here = state.getRoutingNodes().node(record.getNodeId());
        return here == null ? new ShutdownShardMigrationStatus(Status.COMPLETE, 0, 0, 0) : leaving(here);
    }

    private boolean wasHereAlone(ShardRouting shard) {
        return record.getNodeId().equals(shard.unassignedInfo().lastAllocatedNodeId()) && (shard.primary() || isElsewhere(shard) == false);
    }

    private ShutdownShardMigrationStatus leaving(RoutingNode here) {
        int started = here.numberOfShardsWithState(ShardRoutingState.STARTED);
        int moving = here.numberOfShardsWithState(ShardRoutingState.RELOCATING);
        int coming = here.numberOfShardsWithState(ShardRoutingState.INITIALIZING);
        if (started + moving + coming == 0) return new ShutdownShardMigrationStatus(Status.COMPLETE, 0, 0, 0);
        if (moving > 0) return new ShutdownShardMigrationStatus(Status.IN_PROGRESS, started, moving, coming);
        if (started == 0) {
            String words = "all remaining shards are currently INITIALIZING and must finish before they can be moved off this node";
            return new ShutdownShardMigrationStatus(Status.IN_PROGRESS, started, moving, coming, words);
        }
        return standing(here, started, coming);
    }

    /** No shard is on its way, so that it matters which of them could go. */
    private ShutdownShardMigrationStatus standing(RoutingNode here, int started, int coming) {
        int covered = 0;
        int waiting = 0;
        ShardRouting first = null;
        ShardAllocationDecision firstDecision = null;
        for (ShardRouting shard : here.started()) {
            ShardAllocationDecision decision = why.apply(shard);
            if (decision.getMoveDecision().canRemain()) continue;
            AllocationDecision elsewhere = decision.getMoveDecision().getAllocationDecision();
            if (elsewhere == AllocationDecision.YES) continue;
            if (elsewhere == AllocationDecision.THROTTLED) {
                waiting++;
                if (first == null) {
                    first = shard;
                    firstDecision = decision;
                }
            } else if (isElsewhere(shard)) covered++;
            else return stalled(started + coming, shard, " cannot move", decision);
        }
        if (covered == started + coming) {
            String words = " shards cannot be moved away from this node but have at least one copy on another node in the cluster";
            return plain(Status.COMPLETE, "[" + covered + "]" + words);
        }
        if (coming > 0 || waiting < started) return new ShutdownShardMigrationStatus(Status.IN_PROGRESS, started, 0, coming);
        return new ShutdownShardMigrationStatus(Status.IN_PROGRESS, started, 0, coming, name(first) + " is waiting to be moved" + HINT, firstDecision);
    }

    /** Has a started copy on a node that has no record itself. */
    private boolean isElsewhere(ShardRouting shard) {
        return state.routingTable()
            .shardRoutingTable(shard.shardId())
            .activeShards()
            .stream()
            .anyMatch(copy -> copy.started() && ShutdownRecords.of(state).contains(copy.currentNodeId()) == false);
    }

    private static ShutdownShardMigrationStatus plain(Status status, String why) {
        return new ShutdownShardMigrationStatus(status, 0, why, null);
    }

    private static ShutdownShardMigrationStatus stalled(int remaining, ShardRouting shard, String how, ShardAllocationDecision decision) {
        return new ShutdownShardMigrationStatus(Status.STALLED, remaining, name(shard) + how + HINT, decision);
    }

    private static String name(ShardRouting shard) {
        return "shard [" + shard.id() + "] [" + (shard.primary() ? "primary" : "replica") + "] of index [" + shard.getIndexName() + "]";
    }
}
