package drover.lifecycle;

import drover.server.ServerPlugin;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.elasticsearch.action.ActionRequest;
import org.elasticsearch.action.ActionResponse;
import org.elasticsearch.action.ActionType;
import org.elasticsearch.action.support.master.AcknowledgedRequest;
import org.elasticsearch.client.internal.node.NodeClient;
import org.elasticsearch.cluster.metadata.Metadata;
import org.elasticsearch.common.CheckedBiFunction;
import org.elasticsearch.common.settings.Setting;
import org.elasticsearch.core.CheckedFunction;
import org.elasticsearch.core.TimeValue;
import org.elasticsearch.rest.BaseRestHandler;
import org.elasticsearch.rest.RestHandler;
import org.elasticsearch.rest.RestHandler.Route;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.rest.RestRequest.Method;
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
 * Serves the snapshot lifecycle management API where the module for it is missing. x-pack-core, which is there, has policies, their parser
 * and their checks, names, schedules, rules of retention and counts; ours is who does what when, and the HTTP side.
 */
public class SnapshotLifecycle extends ServerPlugin {
    /** Requests are served by objects of the server's making: they find it here. */
    static volatile Caretaker caretaker;

    @Override
    public List<Setting<?>> getSettings() {
        return List.of(
            LifecycleSettings.SLM_MINIMUM_INTERVAL_SETTING,
            LifecycleSettings.SLM_RETENTION_SCHEDULE_SETTING,
            LifecycleSettings.SLM_RETENTION_DURATION_SETTING,
            LifecycleSettings.SLM_HEALTH_FAILED_SNAPSHOT_WARN_THRESHOLD_SETTING,
            LifecycleSettings.SLM_HISTORY_INDEX_ENABLED_SETTING
        );
    }

    /** So that a node that starts can read the state that it wrote; between nodes x-pack-core's own readers serve. */
    @Override
    public List<NamedXContentRegistry.Entry> getNamedXContent() {
        return List.of(
            stored(SnapshotLifecycleMetadata.TYPE, json -> SnapshotLifecycleMetadata.PARSER.parse(json, null)),
            stored(LifecycleOperationMetadata.TYPE, json -> LifecycleOperationMetadata.PARSER.parse(json, null))
        );
    }

    private static <T extends Metadata.Custom> NamedXContentRegistry.Entry stored(
        String name,
        CheckedFunction<XContentParser, T, IOException> reader
    ) {
        return new NamedXContentRegistry.Entry(Metadata.Custom.class, new ParseField(name), reader);
    }

    @Override
    public Collection<?> createComponents(PluginServices services) {
        caretaker = new Caretaker(services);
        return List.of();
    }

    @Override
    public void close() {
        Caretaker present = caretaker;
        if (present != null) present.stop();
    }

    @Override
    @SuppressWarnings({ "rawtypes", "unchecked" })
    public Collection getActions() {
        return List.of(
            carriedOut(PutSnapshotLifecycleAction.INSTANCE, Requests.PutPolicy.class),
            carriedOut(DeleteSnapshotLifecycleAction.INSTANCE, Requests.DeletePolicy.class),
            carriedOut(GetSnapshotLifecycleAction.INSTANCE, Requests.ListPolicies.class),
            carriedOut(ExecuteSnapshotLifecycleAction.INSTANCE, Requests.RunPolicy.class),
            carriedOut(ExecuteSnapshotRetentionAction.INSTANCE, Requests.RunRetention.class),
            carriedOut(GetSnapshotLifecycleStatsAction.INSTANCE, Requests.Counts.class),
            carriedOut(GetSLMStatusAction.INSTANCE, Requests.Mode.class),
            carriedOut(StartSLMAction.INSTANCE, Requests.TurnOn.class),
            carriedOut(StopSLMAction.INSTANCE, Requests.TurnOff.class)
        );
    }

    @Override
    protected List<RestHandler> handlers() {
        String policies = "/_slm/policy", policy = policies + "/{id}", run = policy + "/_execute";
        return List.of(
            new Address<>(PutSnapshotLifecycleAction.INSTANCE, SnapshotLifecycle::policyIn, new Route(Method.PUT, policy)),
            new Address<>(
                DeleteSnapshotLifecycleAction.INSTANCE,
                (request, patience) -> new DeleteSnapshotLifecycleAction.Request(patience.master(), patience.ack(), request.param("id")),
                new Route(Method.DELETE, policy)
            ),
            new Address<>(
                GetSnapshotLifecycleAction.INSTANCE,
                (request, patience) -> new GetSnapshotLifecycleAction.Request(patience.master(), patience.ack(), request.paramAsStringArray("id", new String[0])),
                new Route(Method.GET, policies),
                new Route(Method.GET, policy)
            ),
            new Address<>(
                ExecuteSnapshotLifecycleAction.INSTANCE,
                (request, patience) -> new ExecuteSnapshotLifecycleAction.Request(patience.master(), patience.ack(), request.param("id")),
                new Route(Method.PUT, run),
                new Route(Method.POST, run)
            ),
            new Address<>(
                ExecuteSnapshotRetentionAction.INSTANCE,
                (request, patience) -> new ExecuteSnapshotRetentionAction.Request(patience.master(), patience.ack()),
                new Route(Method.POST, "/_slm/_execute_retention")
            ),
            new Address<>(GetSnapshotLifecycleStatsAction.INSTANCE, SnapshotLifecycle::nothingMore, new Route(Method.GET, "/_slm/stats")),
            new Address<>(GetSLMStatusAction.INSTANCE, SnapshotLifecycle::nothingMore, new Route(Method.GET, "/_slm/status")),
            new Address<>(
                StartSLMAction.INSTANCE,
                (request, patience) -> new StartSLMAction.Request(patience.master(), patience.ack()),
                new Route(Method.POST, "/_slm/start")
            ),
            new Address<>(
                StopSLMAction.INSTANCE,
                (request, patience) -> new StopSLMAction.Request(patience.master(), patience.ack()),
                new Route(Method.POST, "/_slm/stop")
            )
        );
    }

    private static PutSnapshotLifecycleAction.Request policyIn(RestRequest request, Patience patience) throws IOException {
        try (XContentParser body = request.contentParser()) {
            return PutSnapshotLifecycleAction.Request.parseRequest(patience.master(), patience.ack(), request.param("id"), body);
        }
    }

    private static AcknowledgedRequest.Plain nothingMore(RestRequest request, Patience patience) {
        return new AcknowledgedRequest.Plain(patience.master(), patience.ack());
    }

    /** How long a client waits. */
    private record Patience(TimeValue master, TimeValue ack) {}

    /** Some routes, and what x-pack-core is asked by them. */
    private static final class Address<Q extends ActionRequest, A extends ActionResponse & ToXContentObject> extends BaseRestHandler {
        private final ActionType<A> type;
        private final CheckedBiFunction<RestRequest, Patience, Q, IOException> asks;
        private final List<Route> routes;

        Address(ActionType<A> type, CheckedBiFunction<RestRequest, Patience, Q, IOException> asks, Route... routes) {
            this.type = type;
            this.asks = asks;
            this.routes = List.of(routes);
        }

        @Override
        public List<Route> routes() {
            return routes;
        }

        @Override
        public String getName() {
            return "drover_" + type.name();
        }

        @Override
        protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) throws IOException {
            Q question = asks.apply(request, new Patience(RestUtils.getMasterNodeTimeout(request), RestUtils.getAckTimeout(request)));
            boolean refusedByServer = question.validate() != null;
            // Whatever follows a request that x-pack-core lets pass is this plugin's, and says so.
            if (refusedByServer == false) client.threadPool().getThreadContext().addResponseHeader("X-Drover-Stand-In", "snapshot-lifecycle");
            return channel -> client.execute(type, question, new RestToXContentListener<>(channel));
        }
    }
}
