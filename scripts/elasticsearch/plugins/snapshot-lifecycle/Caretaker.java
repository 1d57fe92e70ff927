package drover.lifecycle;

import java.io.IOException;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.function.UnaryOperator;
import org.elasticsearch.ElasticsearchException;
import org.elasticsearch.action.ActionListener;
import org.elasticsearch.action.admin.cluster.snapshots.create.CreateSnapshotRequest;
import org.elasticsearch.action.admin.cluster.snapshots.create.CreateSnapshotResponse;
import org.elasticsearch.action.admin.cluster.snapshots.create.TransportCreateSnapshotAction;
import org.elasticsearch.action.support.PlainActionFuture;
import org.elasticsearch.client.internal.Client;
import org.elasticsearch.client.internal.OriginSettingClient;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.ClusterStateUpdateTask;
import org.elasticsearch.cluster.service.ClusterService;
import org.elasticsearch.common.Strings;
import org.elasticsearch.common.scheduler.SchedulerEngine;
import org.elasticsearch.core.TimeValue;
import org.elasticsearch.logging.LogManager;
import org.elasticsearch.logging.Logger;
import org.elasticsearch.plugins.Plugin.PluginServices;
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

/** Does on the elected master what policies say, at their times and when it is asked, and notes in the book how it went. */
final class Caretaker {
    private static final Logger log = LogManager.getLogger(Caretaker.class);
    /** No policy can have this id: it is refused. */
    private static final String CLEARING = "_clear out";
    private static final String ORIGIN = ClientHelper.INDEX_LIFECYCLE_ORIGIN;

    private final ClusterService cluster;
    private final Client client;
    private final RepositoriesService repositories;
    private final ThreadPool threads;
    private final SchedulerEngine alarms;
    /** What each alarm was set for: the version of a policy, or a schedule. Guarded by this. */
    private final Map<String, String> set = new HashMap<>();
    private volatile String clearingSchedule;

    Caretaker(PluginServices from) {
        cluster = from.clusterService();
        client = from.client();
        repositories = from.repositoriesService();
        threads = from.threadPool();
        alarms = new SchedulerEngine(from.environment().settings(), Clock.systemUTC());
        alarms.register(alarm -> wake(alarm.jobName()));
        clearingSchedule = LifecycleSettings.SLM_RETENTION_SCHEDULE_SETTING.get(from.environment().settings());
        cluster.getClusterSettings().addSettingsUpdateConsumer(LifecycleSettings.SLM_RETENTION_SCHEDULE_SETTING, changed -> clearingSchedule = changed);
        // A changed setting is a changed state, too, and is applied before listeners hear of it.
        cluster.addListener(event -> setAlarms(event.state()));
    }

    void stop() {
        alarms.stop();
    }

    private synchronized void setAlarms(ClusterState state) {
        Map<String, SchedulerEngine.Job> due = new TreeMap<>();
        Map<String, String> versions = new HashMap<>();
        Book book = Book.of(state);
        if (state.nodes().isLocalNodeElectedMaster() && book.mode() == OperationMode.RUNNING) {
            book.entries().forEach((id, entry) -> {
                due.put(id, entry.buildSchedulerJob(id));
                versions.put(id, String.valueOf(entry.getVersion()));
            });
            if (Strings.hasText(clearingSchedule)) {
                due.put(CLEARING, new SchedulerEngine.Job(CLEARING, new CronSchedule(clearingSchedule)));
                versions.put(CLEARING, clearingSchedule);
            }
        }
        set.keySet().removeIf(name -> due.containsKey(name) == false && alarms.remove(name));
        due.forEach((name, job) -> {
            if (versions.get(name).equals(set.put(name, versions.get(name))) == false) alarms.add(job);
        });
    }

    private void wake(String name) {
        if (name.equals(CLEARING)) clearOut();
        else Book.of(cluster.state()).find(name).ifPresent(this::snapshot);
    }

    /** Starts one with the rights of the client that put the policy; its name is known at once, its end is noted later. */
    String snapshot(SnapshotLifecyclePolicyMetadata entry) {
        CreateSnapshotRequest request = entry.getPolicy().toRequest(TimeValue.MAX_VALUE);
        request.waitForCompletion(true);
        Run run = new Run(entry.getId(), request.snapshot(), System.currentTimeMillis());
        ClientHelper.executeWithHeadersAsync(entry.getHeaders(), ORIGIN, client, TransportCreateSnapshotAction.TYPE, request, run);
        return request.snapshot();
    }

    /** One snapshot of a policy, whose end is heard here. */
    private final class Run implements ActionListener<CreateSnapshotResponse> {
        private final String id;
        private final String name;
        private final long since;

        Run(String id, String name, long since) {
            this.id = id;
            this.name = name;
            this.since = since;
        }

        @Override
        public void onResponse(CreateSnapshotResponse response) {
            SnapshotInfo taken = response.getSnapshotInfo();
            if (taken.failedShards() > 0) {
                onFailure(new ElasticsearchException("{} of {} shards failed", taken.failedShards(), taken.totalShards()));
                return;
            }
            SnapshotInvocationRecord success = new SnapshotInvocationRecord(name, taken.startTime(), taken.endTime(), null);
            write(book -> book.noted(id, entry -> entry.setInvocationsSinceLastSuccess(0).setLastSuccess(success)).counted(counts -> counts.withTakenIncremented(id)));
        }

        @Override
        public void onFailure(Exception why) {
            log.warn("policy [" + id + "]: snapshot [" + name + "] failed", why);
            SnapshotInvocationRecord failure = new SnapshotInvocationRecord(name, since, System.currentTimeMillis(), described(why));
            write(book -> book.noted(id, entry -> entry.incrementInvocationsSinceLastSuccess().setLastFailure(failure)).counted(counts -> counts.withFailedIncremented(id)));
        }
    }

    private static String described(Exception why) {
        try (XContentBuilder json = JsonXContent.contentBuilder().startObject()) {
            ElasticsearchException.generateThrowableXContent(json, ToXContent.EMPTY_PARAMS, why);
            return Strings.toString(json.endObject());
        } catch (IOException e) {
            return why.toString();
        }
    }

    /** Begins to delete what no policy wants to keep, one snapshot after the other. */
    void clearOut() {
        threads.generic().execute(() -> {
            long since = System.nanoTime();
            for (SnapshotLifecyclePolicyMetadata entry : Book.of(cluster.state()).entries().values()) clearOut(entry);
            TimeValue took = TimeValue.timeValueNanos(System.nanoTime() - since);
            write(book -> book.counted(counts -> counts.withDeletionTimeUpdated(took).withRetentionRunIncremented()));
        });
    }

    private void clearOut(SnapshotLifecyclePolicyMetadata entry) {
        SnapshotRetentionConfiguration rules = entry.getPolicy().getRetentionPolicy();
        if (rules == null || SnapshotRetentionConfiguration.EMPTY.equals(rules)) return;
        String id = entry.getId(), repository = entry.getPolicy().getRepository();
        try {
            Map<SnapshotId, RepositoryData.SnapshotDetails> own = new HashMap<>();
            RepositoryData content = read(repository);
            for (SnapshotId each : content.getSnapshotIds())
                if (id.equals(content.getSnapshotDetails(each).getSlmPolicy())) own.put(each, content.getSnapshotDetails(each));
            for (var each : own.entrySet()) {
                if (rules.isSnapshotEligibleForDeletion(each.getKey(), each.getValue(), own) == false) continue;
                new OriginSettingClient(client, ORIGIN).admin().cluster().prepareDeleteSnapshot(TimeValue.MAX_VALUE, repository, each.getKey().getName()).get();
                write(book -> book.counted(counts -> counts.withDeletedIncremented(id)));
            }
        } catch (Exception why) {
            log.warn("policy [" + id + "]: what is old was not deleted", why);
            write(book -> book.counted(counts -> counts.withDeleteFailureIncremented(id)));
        }
    }

    private RepositoryData read(String repository) throws ExecutionException, InterruptedException {
        PlainActionFuture<RepositoryData> content = new PlainActionFuture<>();
        repositories.repository(repository).getRepositoryData(threads.executor(ThreadPool.Names.SNAPSHOT_META), content);
        return content.get();
    }

    private void write(UnaryOperator<Book> change) {
        cluster.submitUnbatchedStateUpdateTask("drover: an entry in the book of policies", new ClusterStateUpdateTask() {
            @Override
            public ClusterState execute(ClusterState state) {
                return change.apply(Book.of(state)).into(state);
            }

            @Override
            public void onFailure(Exception why) {
                log.warn("an entry in the book of policies is missing", why);
            }
        });
    }
}
