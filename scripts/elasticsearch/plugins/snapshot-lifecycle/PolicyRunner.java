package drover.lifecycle;

import java.time.Clock;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.elasticsearch.ElasticsearchException;
import org.elasticsearch.action.ActionListener;
import org.elasticsearch.action.admin.cluster.snapshots.create.CreateSnapshotRequest;
import org.elasticsearch.action.admin.cluster.snapshots.create.CreateSnapshotResponse;
import org.elasticsearch.action.admin.cluster.snapshots.create.TransportCreateSnapshotAction;
import org.elasticsearch.action.support.PlainActionFuture;
import org.elasticsearch.client.internal.Client;
import org.elasticsearch.client.internal.OriginSettingClient;
import org.elasticsearch.cluster.ClusterChangedEvent;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.ClusterStateListener;
import org.elasticsearch.cluster.ClusterStateUpdateTask;
import org.elasticsearch.cluster.service.ClusterService;
import org.elasticsearch.common.Strings;
import org.elasticsearch.common.scheduler.SchedulerEngine;
import org.elasticsearch.core.TimeValue;
import org.elasticsearch.logging.LogManager;
import org.elasticsearch.logging.Logger;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.repositories.RepositoriesService;
import org.elasticsearch.repositories.RepositoryData;
import org.elasticsearch.snapshots.SnapshotId;
import org.elasticsearch.snapshots.SnapshotInfo;
import org.elasticsearch.threadpool.ThreadPool;
import org.elasticsearch.xcontent.ToXContent;
import org.elasticsearch.xcontent.XContentBuilder;
import org.elasticsearch.xcontent.json.JsonXContent;
import org.elasticsearch.xpack.core.ClientHelper;
import org.elasticsearch.xpack.core.ilm.LifecycleSettings;
import org.elasticsearch.xpack.core.ilm.OperationMode;
import org.elasticsearch.xpack.core.scheduler.CronSchedule;
import org.elasticsearch.xpack.core.slm.SnapshotInvocationRecord;
import org.elasticsearch.xpack.core.slm.SnapshotLifecyclePolicyMetadata;
import org.elasticsearch.xpack.core.slm.SnapshotRetentionConfiguration;

/** Carries out policies on the elected master: by the clock, or when asked. */
final class PolicyRunner implements ClusterStateListener, SchedulerEngine.Listener {
    private static final Logger logger = LogManager.getLogger(PolicyRunner.class);
    private static final String RETENTION = "retention";
    private static final String POLICY = "policy ";

    private final ClusterService cluster;
    private final Client client;
    private final RepositoriesService repositories;
    private final ThreadPool pool;
    private final SchedulerEngine clock;
    /** The version of each policy that the clock knows. */
    private final Map<String, Long> timed = new ConcurrentHashMap<>();
    private volatile String retentionSchedule;

    PolicyRunner(Plugin.PluginServices services) {
        cluster = services.clusterService();
        client = services.client();
        repositories = services.repositoriesService();
        pool = services.threadPool();
        clock = new SchedulerEngine(services.environment().settings(), Clock.systemUTC());
        clock.register(this);
        retentionSchedule = LifecycleSettings.SLM_RETENTION_SCHEDULE_SETTING.get(services.environment().settings());
        cluster.getClusterSettings().addSettingsUpdateConsumer(LifecycleSettings.SLM_RETENTION_SCHEDULE_SETTING, schedule -> {
            retentionSchedule = schedule;
            if (clock.scheduledJobIds().contains(RETENTION)) timeRetention();
        });
        cluster.addListener(this);
    }

    void close() {
        clock.stop();
    }

    @Override
    public void clusterChanged(ClusterChangedEvent event) {
        boolean running = event.localNodeMaster() && Policies.mode(event.state()) == OperationMode.RUNNING;
        Map<String, SnapshotLifecyclePolicyMetadata> wanted = running ? Policies.of(event.state()).getSnapshotConfigurations() : Map.of();
        Set<String> gone = new HashSet<>(timed.keySet());
        gone.removeAll(wanted.keySet());
        for (String id : gone) {
            clock.remove(POLICY + id);
            timed.remove(id);
        }
        for (SnapshotLifecyclePolicyMetadata policy : wanted.values()) {
            Long before = timed.put(policy.getId(), policy.getVersion());
            if (before == null || before != policy.getVersion()) clock.add(policy.buildSchedulerJob(POLICY + policy.getId()));
        }
        if (running == false) clock.remove(RETENTION);
        else if (clock.scheduledJobIds().contains(RETENTION) == false) timeRetention();
    }

    private void timeRetention() {
        if (Strings.hasText(retentionSchedule)) clock.add(new SchedulerEngine.Job(RETENTION, new CronSchedule(retentionSchedule)));
        else clock.remove(RETENTION);
    }

    @Override
    public void triggered(SchedulerEngine.Event event) {
        if (event.jobName().equals(RETENTION)) {
            retain();
            return;
        }
        SnapshotLifecyclePolicyMetadata policy = Policies.find(cluster.state(), event.jobName().substring(POLICY.length()));
        if (policy != null) take(policy);
    }

    /** Begins a snapshot with the rights of who put the policy, and notes how it ends. Returns its name. */
    String take(SnapshotLifecyclePolicyMetadata policy) {
        CreateSnapshotRequest request = policy.getPolicy().toRequest(TimeValue.MAX_VALUE).waitForCompletion(true);
        String id = policy.getId(), name = request.snapshot();
        long begun = System.currentTimeMillis();
        ActionListener<CreateSnapshotResponse> end = ActionListener.wrap(response -> {
            SnapshotInfo info = response.getSnapshotInfo();
            if (info.failedShards() > 0) throw new ElasticsearchException("{} of {} shards failed", info.failedShards(), info.totalShards());
            SnapshotInvocationRecord success = new SnapshotInvocationRecord(name, info.startTime(), info.endTime(), null);
            note(
                state -> Policies.counted(
                    Policies.changed(state, id, entry -> entry.setLastSuccess(success).setInvocationsSinceLastSuccess(0)),
                    stats -> stats.withTakenIncremented(id)
                )
            );
        }, problem -> {
            logger.warn("snapshot [" + name + "] of policy [" + id + "] failed", problem);
            SnapshotInvocationRecord failure = new SnapshotInvocationRecord(name, begun, System.currentTimeMillis(), inJson(problem));
            note(
                state -> Policies.counted(
                    Policies.changed(state, id, entry -> entry.setLastFailure(failure).incrementInvocationsSinceLastSuccess()),
                    stats -> stats.withFailedIncremented(id)
                )
            );
        });
        ClientHelper.executeWithHeadersAsync(
            policy.getHeaders(),
            ClientHelper.INDEX_LIFECYCLE_ORIGIN,
            client,
            TransportCreateSnapshotAction.TYPE,
            request,
            end
        );
        return name;
    }

    private static String inJson(Exception problem) {
        try (XContentBuilder json = JsonXContent.contentBuilder()) {
            json.startObject();
            ElasticsearchException.generateThrowableXContent(json, ToXContent.EMPTY_PARAMS, problem);
            return Strings.toString(json.endObject());
        } catch (java.io.IOException unwritable) {
            return problem.toString();
        }
    }

    /** In the background: deletes what the rules of each policy let go, one policy after the other. */
    void retain() {
        pool.generic().execute(() -> {
            long begun = System.currentTimeMillis();
            for (SnapshotLifecyclePolicyMetadata policy : Policies.of(cluster.state()).getSnapshotConfigurations().values()) {
                SnapshotRetentionConfiguration rules = policy.getPolicy().getRetentionPolicy();
                if (rules != null && rules.equals(SnapshotRetentionConfiguration.EMPTY) == false) retain(policy, rules);
            }
            TimeValue took = TimeValue.timeValueMillis(System.currentTimeMillis() - begun);
            note(state -> Policies.counted(state, stats -> stats.withRetentionRunIncremented().withDeletionTimeUpdated(took)));
        });
    }

    private void retain(SnapshotLifecyclePolicyMetadata policy, SnapshotRetentionConfiguration rules) {
        String id = policy.getId(), repository = policy.getPolicy().getRepository();
        try {
            PlainActionFuture<RepositoryData> reading = new PlainActionFuture<>();
            repositories.repository(repository).getRepositoryData(pool.executor(ThreadPool.Names.SNAPSHOT_META), reading);
            RepositoryData data = reading.get();
            Map<SnapshotId, RepositoryData.SnapshotDetails> own = data.getSnapshotIds()
                .stream()
                .filter(snapshot -> id.equals(data.getSnapshotDetails(snapshot).getSlmPolicy()))
                .collect(Collectors.toMap(Function.identity(), data::getSnapshotDetails));
            Client deleting = new OriginSettingClient(client, ClientHelper.INDEX_LIFECYCLE_ORIGIN);
            for (SnapshotId snapshot : own.keySet()) {
                if (rules.isSnapshotEligibleForDeletion(snapshot, own.get(snapshot), own) == false) continue;
                deleting.admin().cluster().prepareDeleteSnapshot(TimeValue.MAX_VALUE, repository, snapshot.getName()).get();
                note(state -> Policies.counted(state, stats -> stats.withDeletedIncremented(id)));
            }
        } catch (Exception problem) {
            logger.warn("retention of policy [" + id + "] failed", problem);
            note(state -> Policies.counted(state, stats -> stats.withDeleteFailureIncremented(id)));
        }
    }

    private void note(UnaryOperator<ClusterState> change) {
        cluster.submitUnbatchedStateUpdateTask("note what became of a snapshot policy", new ClusterStateUpdateTask() {
            @Override
            public ClusterState execute(ClusterState state) {
                return change.apply(state);
            }

            @Override
            public void onFailure(Exception problem) {
                logger.warn("it was not noted what became of a snapshot policy", problem);
            }
        });
    }
}
