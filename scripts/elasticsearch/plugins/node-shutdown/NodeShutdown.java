package drover.shutdown;

import static org.elasticsearch.rest.RestRequest.Method.DELETE;
import static org.elasticsearch.rest.RestRequest.Method.GET;
import static org.elasticsearch.rest.RestRequest.Method.PUT;

import drover.server.ServerPlugin;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.elasticsearch.client.internal.node.NodeClient;
import org.elasticsearch.common.Strings;
import org.elasticsearch.rest.BaseRestHandler;
import org.elasticsearch.rest.RestHandler;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.rest.RestUtils;
import org.elasticsearch.rest.action.RestToXContentListener;
import org.elasticsearch.xcontent.XContentParser;

/**
 * `_nodes/{id}/shutdown` for a distribution without the module that serves it. The records, what they do to allocation, to delays and to
 * replicas that expand, and the decisions are the server's; this plugin only writes records into the cluster state and sums up.
 */
public class NodeShutdown extends ServerPlugin {
    @Override
    public Collection<?> createComponents(PluginServices services) {
        services.clusterService().addListener(new SeenNodes(services.clusterService()));
        return List.of();
    }

    @Override
    @SuppressWarnings({ "rawtypes", "unchecked" })
    public Collection getActions() {
        return List.of(
            carriedOut(ShutdownRecords.PUT, ShutdownRecords.Put.class),
            carriedOut(ShutdownRecords.DELETE, ShutdownRecords.Delete.class),
            carriedOut(ShutdownReport.GET, ShutdownReport.Get.class)
        );
    }

    @Override
    protected List<RestHandler> handlers() {
        return List.of(new PutHandler(), new DeleteHandler(), new GetHandler());
    }

    /** Whoever asks can see from this header that the response is not by Elastic's module. */
    private static void mark(NodeClient client) {
        client.threadPool().getThreadContext().addResponseHeader("X-Drover-Stand-In", "node-shutdown");
    }

    private static final class PutHandler extends BaseRestHandler {
        @Override
        public String getName() {
            return "put_shutdown_node";
        }

        @Override
        public List<Route> routes() {
            return List.of(new Route(PUT, "/_nodes/{nodeId}/shutdown"));
        }

        @Override
        protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) throws IOException {
            mark(client);
            String id = request.param("nodeId");
            ShutdownRecords.Change change = new ShutdownRecords.Change(RestUtils.getMasterNodeTimeout(request), RestUtils.getAckTimeout(request), id);
            try (XContentParser parser = request.contentParser()) {
                change.describe(ShutdownBody.PARSER.parse(parser, id));
            }
            return channel -> client.execute(ShutdownRecords.PUT, change, new RestToXContentListener<>(channel));
        }
    }

    private static final class DeleteHandler extends BaseRestHandler {
        @Override
        public String getName() {
            return "delete_shutdown_node";
        }

        @Override
        public List<Route> routes() {
            return List.of(new Route(DELETE, "/_nodes/{nodeId}/shutdown"));
        }

        @Override
        protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) {
            mark(client);
            ShutdownRecords.Change change = new ShutdownRecords.Change(
                RestUtils.getMasterNodeTimeout(request),
                RestUtils.getAckTimeout(request),
                request.param("nodeId")
            );
            return channel -> client.execute(ShutdownRecords.DELETE, change, new RestToXContentListener<>(channel));
        }
    }

    private static final class GetHandler extends BaseRestHandler {
        @Override
        public String getName() {
            return "get_shutdown_status";
        }

        @Override
        public List<Route> routes() {
            return List.of(new Route(GET, "/_nodes/shutdown"), new Route(GET, "/_nodes/{nodeId}/shutdown"));
        }

        @Override
        protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) {
            mark(client);
            String[] ids = Strings.commaDelimitedListToStringArray(request.param("nodeId"));
            ShutdownReport.Question question = new ShutdownReport.Question(RestUtils.getMasterNodeTimeout(request), ids);
            return channel -> client.execute(ShutdownReport.GET, question, new RestToXContentListener<>(channel));
        }
    }
}
