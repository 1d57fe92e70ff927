package drover.facts;

import static org.elasticsearch.rest.RestRequest.Method.GET;
import static org.elasticsearch.rest.RestRequest.Method.HEAD;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.elasticsearch.Build;
import org.elasticsearch.action.ActionListener;
import org.elasticsearch.action.ActionRequest;
import org.elasticsearch.action.ActionRequestValidationException;
import org.elasticsearch.action.ActionResponse;
import org.elasticsearch.action.ActionType;
import org.elasticsearch.action.support.ActionFilters;
import org.elasticsearch.action.support.TransportAction;
import org.elasticsearch.client.internal.node.NodeClient;
import org.elasticsearch.cluster.metadata.IndexNameExpressionResolver;
import org.elasticsearch.cluster.node.DiscoveryNodes;
import org.elasticsearch.cluster.routing.allocation.shards.ShardsAvailabilityHealthIndicatorService;
import org.elasticsearch.cluster.service.ClusterService;
import org.elasticsearch.common.io.stream.NamedWriteableRegistry;
import org.elasticsearch.common.io.stream.StreamOutput;
import org.elasticsearch.common.settings.ClusterSettings;
import org.elasticsearch.common.settings.IndexScopedSettings;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.common.settings.SettingsFilter;
import org.elasticsearch.common.util.concurrent.EsExecutors;
import org.elasticsearch.features.NodeFeature;
import org.elasticsearch.health.HealthIndicatorService;
import org.elasticsearch.index.IndexVersion;
import org.elasticsearch.injection.guice.Inject;
import org.elasticsearch.plugins.ActionPlugin;
import org.elasticsearch.plugins.HealthPlugin;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.rest.BaseRestHandler;
import org.elasticsearch.rest.RestController;
import org.elasticsearch.rest.RestHandler;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.rest.action.RestToXContentListener;
import org.elasticsearch.tasks.Task;
import org.elasticsearch.transport.TransportService;
import org.elasticsearch.xcontent.ToXContentObject;
import org.elasticsearch.xcontent.XContentBuilder;

/** `GET /` from what the server says about its build, and the server's own health indicator of shards, which a missing module would register. */
public class ServerFacts extends Plugin implements ActionPlugin, HealthPlugin {
    private static final ActionType<Facts> MAIN = new ActionType<>("cluster:monitor/main");
    private HealthIndicatorService shards;

    @Override
    public Collection<?> createComponents(PluginServices services) {
        shards = new ShardsAvailabilityHealthIndicatorService(services.clusterService(), services.allocationService(), services.systemIndices());
        return List.of();
    }

    @Override
    public Collection<HealthIndicatorService> getHealthIndicatorServices() {
        return List.of(shards);
    }

    @Override
    public Collection<ActionHandler<? extends ActionRequest, ? extends ActionResponse>> getActions() {
        return List.of(new ActionHandler<>(MAIN, Main.class));
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
        return List.of(new MainHandler());
    }

    private static final class MainHandler extends BaseRestHandler {
        @Override
        public String getName() {
            return "main_action";
        }

        @Override
        public List<Route> routes() {
            return List.of(new Route(GET, "/"), new Route(HEAD, "/"));
        }

        @Override
        protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) {
            client.threadPool().getThreadContext().addResponseHeader("X-Drover-Stand-In", "server-facts");
            // This API is laid out for people unless it is told otherwise.
            if (request.hasParam("pretty") == false) request.params().put("pretty", "true");
            return channel -> client.execute(MAIN, new Ask(), new RestToXContentListener<>(channel));
        }
    }

    public static final class Ask extends ActionRequest {
        @Override
        public ActionRequestValidationException validate() {
            return null;
        }
    }

    public static final class Facts extends ActionResponse implements ToXContentObject {
        private final ClusterService cluster;

        private Facts(ClusterService cluster) {
            this.cluster = cluster;
        }

        @Override
        public void writeTo(StreamOutput out) {
            throw new UnsupportedOperationException("stays on its node");
        }

        @Override
        public XContentBuilder toXContent(XContentBuilder json, Params params) throws IOException {
            Build build = Build.current();
            json.startObject().field("name", cluster.getNodeName()).field("cluster_name", cluster.getClusterName().value());
            json.field("cluster_uuid", cluster.state().metadata().clusterUUID()).startObject("version");
            json.field("number", build.qualifiedVersion()).field("build_flavor", build.flavor()).field("build_type", build.type().displayName());
            json.field("build_hash", build.hash()).field("build_date", build.date()).field("build_snapshot", build.isSnapshot());
            json.field("lucene_version", IndexVersion.current().luceneVersion().toString());
            json.field("minimum_wire_compatibility_version", build.minWireCompatVersion());
            json.field("minimum_index_compatibility_version", build.minIndexCompatVersion()).endObject();
            return json.field("tagline", "You Know, for Search").endObject();
        }
    }

    public static final class Main extends TransportAction<Ask, Facts> {
        private final ClusterService cluster;

        @Inject
        public Main(ActionFilters filters, TransportService transport, ClusterService cluster) {
            super(MAIN.name(), filters, transport.getTaskManager(), EsExecutors.DIRECT_EXECUTOR_SERVICE);
            this.cluster = cluster;
        }

        @Override
        protected void doExecute(Task task, Ask request, ActionListener<Facts> listener) {
            listener.onResponse(new Facts(cluster));
        }
    }
}
