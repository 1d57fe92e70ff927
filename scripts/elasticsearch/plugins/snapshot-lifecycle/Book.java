package drover.lifecycle;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.elasticsearch.ResourceNotFoundException;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.metadata.Metadata;
import org.elasticsearch.xpack.core.ilm.LifecycleOperationMetadata;
import org.elasticsearch.xpack.core.ilm.OperationMode;
import org.elasticsearch.xpack.core.slm.SnapshotLifecycleMetadata;
import org.elasticsearch.xpack.core.slm.SnapshotLifecyclePolicy;
import org.elasticsearch.xpack.core.slm.SnapshotLifecyclePolicyMetadata;
import org.elasticsearch.xpack.core.slm.SnapshotLifecycleStats;

/** All policies with their counts, as one cluster state has them. Each change makes another book; `into` makes a state of it. */
record Book(TreeMap<String, SnapshotLifecyclePolicyMetadata> entries, SnapshotLifecycleStats counts, OperationMode mode) {
    static Book of(ClusterState state) {
        SnapshotLifecycleMetadata stored = state.metadata().custom(SnapshotLifecycleMetadata.TYPE, SnapshotLifecycleMetadata.EMPTY);
        return new Book(new TreeMap<>(stored.getSnapshotConfigurations()), stored.getStats(), LifecycleOperationMetadata.currentSLMMode(state));
    }

    ClusterState into(ClusterState state) {
        SnapshotLifecycleMetadata stored = new SnapshotLifecycleMetadata(Map.copyOf(entries), mode, counts);
        Metadata metadata = Metadata.builder(state.metadata()).putCustom(SnapshotLifecycleMetadata.TYPE, stored).build();
        return ClusterState.builder(state).metadata(metadata).build();
    }

    Optional<SnapshotLifecyclePolicyMetadata> find(String id) {
        return Optional.ofNullable(entries.get(id));
    }

    /** The same book where the same client puts the same policy again. */
    Book put(SnapshotLifecyclePolicy policy, Map<String, String> client, long now) {
        var known = find(policy.getId());
        if (known.filter(entry -> entry.getPolicy().equals(policy) && entry.getHeaders().equals(client)).isPresent()) return this;
        var entry = known.map(SnapshotLifecyclePolicyMetadata::builder).orElseGet(SnapshotLifecyclePolicyMetadata::builder);
        entry.setVersion(known.map(SnapshotLifecyclePolicyMetadata::getVersion).orElse(0L) + 1);
        return entered(entry.setModifiedDate(now).setHeaders(client).setPolicy(policy).build());
    }

    /** With the policy go its counts. */
    Book without(String id) {
        if (entries.containsKey(id) == false) throw new ResourceNotFoundException("snapshot lifecycle policy not found: {}", id);
        TreeMap<String, SnapshotLifecyclePolicyMetadata> others = new TreeMap<>(entries);
        others.remove(id);
        return new Book(others, counts.removePolicy(id), mode);
    }

    /** Of a policy that is gone nothing is noted. */
    Book noted(String id, UnaryOperator<SnapshotLifecyclePolicyMetadata.Builder> note) {
        return find(id).map(entry -> entered(note.apply(SnapshotLifecyclePolicyMetadata.builder(entry)).build())).orElse(this);
    }

    Book counted(UnaryOperator<SnapshotLifecycleStats> count) {
        return new Book(entries, count.apply(counts), mode);
    }

    private Book entered(SnapshotLifecyclePolicyMetadata entry) {
        TreeMap<String, SnapshotLifecyclePolicyMetadata> all = new TreeMap<>(entries);
        all.put(entry.getId(), entry);
        return new Book(all, counts, mode);
    }
}
