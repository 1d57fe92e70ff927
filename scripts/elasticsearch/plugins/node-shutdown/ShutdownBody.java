package drover.shutdown;

import org.elasticsearch.cluster.metadata.SingleNodeShutdownMetadata.Type;
import org.elasticsearch.core.TimeValue;
import org.elasticsearch.xcontent.ConstructingObjectParser;
import org.elasticsearch.xcontent.ParseField;

/** The body of a request that puts a record. */
record ShutdownBody(Type type, String reason, TimeValue delay, String target, TimeValue grace) {
    static final ConstructingObjectParser<ShutdownBody, String> PARSER = new ConstructingObjectParser<>(
        "put_node_shutdown_request",
        false,
        (given, nodeId) -> new ShutdownBody(
            Type.parse((String) given[0]),
            (String) given[1],
            time(given[2], nodeId),
            (String) given[3],
            time(given[4], nodeId)
        )
    );
    static {
        for (String required : new String[] { "type", "reason" })
            PARSER.declareString(ConstructingObjectParser.constructorArg(), new ParseField(required));
        for (String optional : new String[] { "allocation_delay", "target_node_name", "grace_period" })
            PARSER.declareString(ConstructingObjectParser.optionalConstructorArg(), new ParseField(optional));
    }

    private static TimeValue time(Object given, String nodeId) {
        return given == null ? null : TimeValue.parseTimeValue((String) given, "put-shutdown-node-request-" + nodeId);
    }
}
