package drover.facts;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.elasticsearch.Build;
import org.elasticsearch.action.ActionListener;
import org.elasticsearch.action.ActionType;
import org.elasticsearch.action.ActionRequest;
import org.elasticsearch.action.ActionRequestValidationException;
import org.elasticsearch.action.ActionResponse;
import org.elasticsearch.action.support.ActionFilters;
import org.elasticsearch.action.support.TransportAction;
import org.elasticsearch.client.internal.node.NodeClient;
import org.elasticsearch.cluster.service.ClusterService;
import org.elasticsearch.common.io.stream.StreamOutput;
import org.elasticsearch.common.util.concurrent.EsExecutors;
import org.elasticsearch.index.IndexVersion;
import org.elasticsearch.injection.guice.Inject;
import org.elasticsearch.rest.BaseRestHandler;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.rest.action.RestToXContentListener;
import org.elasticsearch.tasks.Task;
import org.elasticsearch.transport.TransportService;
import org.elasticsearch.xcontent.ToXContentObject;
import org.elasticsearch.xcontent.XContentBuilder;

/** `GET /` ("Get cluster info" in Elastic's API reference): an action, so that the privilege for it is asked for. */
public final class MainPage extends TransportAction<MainPage.Visit, MainPage.Content> {
    /** Roles grant it under this name. */
    static final ActionType<Content> TYPE = new ActionType<>("cluster:monitor/main");
    private final ClusterService cluster;

    @Inject
    public MainPage(ClusterService cluster, TransportService transport, ActionFilters filters) {
        super(TYPE.name(), filters, transport.getTaskManager(), EsExecutors.DIRECT_EXECUTOR_SERVICE);
        this.cluster = cluster;
    }

    @Override
    protected void doExecute(Task task, Visit visit, ActionListener<Content> visitor) {
        Map<String, Object> page = new LinkedHashMap<>();
        page.put("name", cluster.getNodeName());
        page.put("cluster_name", cluster.getClusterName().value());
        page.put("cluster_uuid", cluster.state().metadata().clusterUUID());
        page.put("version", version(Build.current()));
        page.put("tagline", "You Know, for Search");
        visitor.onResponse(new Content(page));
    }

    private static Map<String, Object> version(Build build) {
        Map<String, Object> version = new LinkedHashMap<>();
        version.put("number", build.qualifiedVersion());
        version.put("build_flavor", build.flavor());
        version.put("build_type", build.type().displayName());
        version.put("build_hash", build.hash());
        version.put("build_date", build.date());
        version.put("build_snapshot", build.isSnapshot());
        version.put("lucene_version", IndexVersion.current().luceneVersion().toString());
        version.put("minimum_wire_compatibility_version", build.minWireCompatVersion());
        version.put("minimum_index_compatibility_version", build.minIndexCompatVersion());
        return version;
    }

    /** Nothing can be asked for but the page. */
    public static final class Visit extends ActionRequest {
        @Override
        public ActionRequestValidationException validate() {
            return null;
        }
    }

    public static final class Content extends ActionResponse implements ToXContentObject {
        private final Map<String, Object> page;

        Content(Map<String, Object> page) {
            this.page = page;
        }

        @Override
        public XContentBuilder toXContent(XContentBuilder json, Params params) throws IOException {
            return json.map(page);
        }

        @Override
        public void writeTo(StreamOutput out) {
            throw new IllegalStateException("each node has its own page");
        }
    }

    /** Serves it. Elastic's is laid out for people where nobody asks; this one is when asked. */
    static final class Door extends BaseRestHandler {
        @Override
        public List<Route> routes() {
            return List.of(new Route(RestRequest.Method.GET, "/"), new Route(RestRequest.Method.HEAD, "/"));
        }

        @Override
        public String getName() {
            return "drover_main_page";
        }

        @Override
        protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) {
            client.threadPool().getThreadContext().addResponseHeader("X-Drover-Stand-In", "server-facts");
            return channel -> client.execute(TYPE, new Visit(), new RestToXContentListener<>(channel));
        }
    }
}
