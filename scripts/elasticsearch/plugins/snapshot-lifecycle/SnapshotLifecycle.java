package drover.lifecycle;

import static org.elasticsearch.rest.RestRequest.Method.DELETE;
import static org.elasticsearch.rest.RestRequest.Method.GET;
import static org.elasticsearch.rest.RestRequest.Method.POST;
import static org.elasticsearch.rest.RestRequest.Method.PUT;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.elasticsearch.action.ActionRequest;
import org.elasticsearch.action.ActionResponse;
import org.elasticsearch.action.ActionType;
import org.elasticsearch.action.support.master.AcknowledgedRequest;
import org.elasticsearch.client.internal.node.NodeClient;
import org.elasticsearch.cluster.metadata.IndexNameExpressionResolver;
import org.elasticsearch.cluster.metadata.Metadata;
import org.elasticsearch.cluster.node.DiscoveryNodes;
import org.elasticsearch.common.Strings;
import org.elasticsearch.common.io.stream.NamedWriteableRegistry;
import org.elasticsearch.common.settings.ClusterSettings;
import org.elasticsearch.common.settings.IndexScopedSettings;
import org.elasticsearch.common.settings.Setting;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.common.settings.SettingsFilter;
import org.elasticsearch.core.TimeValue;
import org.elasticsearch.features.NodeFeature;
import org.elasticsearch.plugins.ActionPlugin;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.rest.BaseRestHandler;
import org.elasticsearch.rest.RestController;
import org.elasticsearch.rest.RestHandler;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.rest.RestUtils;
import org.elasticsearch.rest.action.RestToXContentListener;
import org.elasticsearch.xcontent.NamedXContentRegistry;
import org.elasticsearch.xcontent.ParseField;
import org.elasticsearch.xcontent.ToXContentObject;
import org.elasticsearch.xcontent.XContentParser;
import org.elasticsearch.xpack.core.ilm.LifecycleOperationMetadata;
import org.elasticsearch.xpack.core.ilm.LifecycleSettings;
import org.elasticsearch.xpack.core.slm.SnapshotLifecycleMetadata;
import org.elasticsearch.xpack.core.slm.action.DeleteSnapshotLifecycleAction;
import org.elasticsearch.xpack.core.slm.action.ExecuteSnapshotLifecycleAction;
import org.elasticsearch.xpack.core.slm.action.ExecuteSnapshotRetentionAction;
import org.elasticsearch.xpack.core.slm.action.GetSLMStatusAction;
import org.elasticsearch.xpack.core.slm.action.GetSnapshotLifecycleAction;
import org.elasticsearch.xpack.core.slm.action.GetSnapshotLifecycleStatsAction;
import org.elasticsearch.xpack.core.slm.action.PutSnapshotLifecycleAction;
import org.elasticsearch.xpack.core.slm.action.StartSLMAction;
import org.elasticsearch.xpack.core.slm.action.StopSLMAction;

/**
 * `_slm` for a distribution without the module that serves it. Policies with their parser and checks, names of snapshots, schedules, rules
 * of retention and statistics are those of x-pack-core, which is there; this plugin keeps them in the cluster state and carries them out.
 */
public class SnapshotLifecycle extends Plugin implements ActionPlugin {
    /** Of this node; made before the actions, which ask it. */
    static volatile PolicyRunner runner;

    @Override
    public List<Setting<?>> getSettings() {
        return List.of(
            LifecycleSettings.SLM_RETENTION_SCHEDULE_SETTING,
            LifecycleSettings.SLM_RETENTION_DURATION_SETTING,
            LifecycleSettings.SLM_MINIMUM_INTERVAL_SETTING,
            LifecycleSettings.SLM_HISTORY_INDEX_ENABLED_SETTING,
            LifecycleSettings.SLM_HEALTH_FAILED_SNAPSHOT_WARN_THRESHOLD_SETTING
        );
    }

    /** To read the cluster state from disk. That of the network is registered by x-pack-core already. */
    @Override
    public List<NamedXContentRegistry.Entry> getNamedXContent() {
        ParseField policies = new ParseField(SnapshotLifecycleMetadata.TYPE), mode = new ParseField(LifecycleOperationMetadata.TYPE);
        return List.of(
            new NamedXContentRegistry.Entry(Metadata.Custom.class, policies, parser -> SnapshotLifecycleMetadata.PARSER.parse(parser, null)),
            new NamedXContentRegistry.Entry(Metadata.Custom.class, mode, parser -> LifecycleOperationMetadata.PARSER.parse(parser, null))
        );
    }

    @Override
    public Collection<?> createComponents(PluginServices services) {
        runner = new PolicyRunner(services);
        return List.of();
    }

    @Override
    public void close() {
        if (runner != null) runner.close();
    }

    @Override
    public Collection<ActionHandler<? extends ActionRequest, ? extends ActionResponse>> getActions() {
        return List.of(
            new ActionHandler<>(PutSnapshotLifecycleAction.INSTANCE, PolicyActions.Put.class),
            new ActionHandler<>(GetSnapshotLifecycleAction.INSTANCE, PolicyActions.Get.class),
            new ActionHandler<>(DeleteSnapshotLifecycleAction.INSTANCE, PolicyActions.Delete.class),
            new ActionHandler<>(ExecuteSnapshotLifecycleAction.INSTANCE, RunActions.Execute.class),
            new ActionHandler<>(ExecuteSnapshotRetentionAction.INSTANCE, RunActions.Retain.class),
            new ActionHandler<>(GetSnapshotLifecycleStatsAction.INSTANCE, RunActions.Stats.class),
            new ActionHandler<>(GetSLMStatusAction.INSTANCE, RunActions.Status.class),
            new ActionHandler<>(StartSLMAction.INSTANCE, RunActions.Start.class),
            new ActionHandler<>(StopSLMAction.INSTANCE, RunActions.Stop.class)
        );
    }

    /** What is asked for: one of x-pack-core's requests. */
    private interface Reading<Q> {
        Q read(RestRequest request, TimeValue master, TimeValue ack) throws IOException;
    }

    private static <Q extends ActionRequest, A extends ActionResponse & ToXContentObject> RestHandler handler(
        String name,
        ActionType<A> action,
        Reading<Q> reading,
        RestHandler.Route... routes
    ) {
        return new BaseRestHandler() {
            @Override
            public String getName() {
                return name;
            }

            @Override
            public List<Route> routes() {
                return List.of(routes);
            }

            @Override
            protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) throws IOException {
                Q question = reading.read(request, RestUtils.getMasterNodeTimeout(request), RestUtils.getAckTimeout(request));
                // What x-pack-core's parser and checks refuse is refused by the server; everything after that is this plugin's.
                if (question.validate() == null) client.threadPool().getThreadContext().addResponseHeader("X-Drover-Stand-In", "snapshot-lifecycle");
                return channel -> client.execute(action, question, new RestToXContentListener<>(channel));
            }
        };
    }

    @Override
    public Collection<RestHandler> getRestHandlers(
        Settings settings,
        NamedWriteableRegistry writeables,
        RestController controller,
        ClusterSettings clusterSettings,
        IndexScopedSettings indexSettings,
        SettingsFilter filter,
        IndexNameExpressionResolver resolver,
        Supplier<DiscoveryNodes> nodes,
        Predicate<NodeFeature> features
    ) {
        RestHandler.Route[] reads = { new RestHandler.Route(GET, "/_slm/policy"), new RestHandler.Route(GET, "/_slm/policy/{name}") };
        String execute = "/_slm/policy/{name}/_execute";
        RestHandler.Route[] executes = { new RestHandler.Route(POST, execute), new RestHandler.Route(PUT, execute) };
        return List.of(
            handler("slm_put_lifecycle", PutSnapshotLifecycleAction.INSTANCE, (request, master, ack) -> {
                try (XContentParser parser = request.contentParser()) {
                    return PutSnapshotLifecycleAction.Request.parseRequest(master, ack, request.param("name"), parser);
                }
            }, new RestHandler.Route(PUT, "/_slm/policy/{name}")),
            handler(
                "slm_get_lifecycle",
                GetSnapshotLifecycleAction.INSTANCE,
                (request, master, ack) -> new GetSnapshotLifecycleAction.Request(master, ack, Strings.splitStringByCommaToArray(request.param("name"))),
                reads
            ),
            handler(
                "slm_delete_lifecycle",
                DeleteSnapshotLifecycleAction.INSTANCE,
                (request, master, ack) -> new DeleteSnapshotLifecycleAction.Request(master, ack, request.param("name")),
                new RestHandler.Route(DELETE, "/_slm/policy/{name}")
            ),
            handler(
                "slm_execute_lifecycle",
                ExecuteSnapshotLifecycleAction.INSTANCE,
                (request, master, ack) -> new ExecuteSnapshotLifecycleAction.Request(master, ack, request.param("name")),
                executes
            ),
            handler(
                "slm_execute_retention",
                ExecuteSnapshotRetentionAction.INSTANCE,
                (request, master, ack) -> new ExecuteSnapshotRetentionAction.Request(master, ack),
                new RestHandler.Route(POST, "/_slm/_execute_retention")
            ),
            handler(
                "slm_lifecycle_stats",
                GetSnapshotLifecycleStatsAction.INSTANCE,
                (request, master, ack) -> new AcknowledgedRequest.Plain(master, ack),
                new RestHandler.Route(GET, "/_slm/stats")
            ),
            handler(
                "slm_get_operation_mode",
                GetSLMStatusAction.INSTANCE,
                (request, master, ack) -> new AcknowledgedRequest.Plain(master, ack),
                new RestHandler.Route(GET, "/_slm/status")
            ),
            handler("slm_start", StartSLMAction.INSTANCE, (request, master, ack) -> new StartSLMAction.Request(master, ack), new RestHandler.Route(POST, "/_slm/start")),
            handler("slm_stop", StopSLMAction.INSTANCE, (request, master, ack) -> new StopSLMAction.Request(master, ack), new RestHandler.Route(POST, "/_slm/stop"))
        );
    }
}
