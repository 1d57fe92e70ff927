package drover.facts;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.elasticsearch.action.ActionRequest;
import org.elasticsearch.action.ActionResponse;
import org.elasticsearch.cluster.metadata.IndexNameExpressionResolver;
import org.elasticsearch.cluster.node.DiscoveryNodes;
import org.elasticsearch.cluster.routing.allocation.shards.ShardsAvailabilityHealthIndicatorService;
import org.elasticsearch.common.io.stream.NamedWriteableRegistry;
import org.elasticsearch.common.settings.ClusterSettings;
import org.elasticsearch.common.settings.IndexScopedSettings;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.common.settings.SettingsFilter;
import org.elasticsearch.features.NodeFeature;
import org.elasticsearch.health.HealthIndicatorService;
import org.elasticsearch.plugins.ActionPlugin;
import org.elasticsearch.plugins.HealthPlugin;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.rest.RestController;
import org.elasticsearch.rest.RestHandler;

/** Makes known what the server has, but the test distribution does not offer: the page at `/`, and the health indicator of shards. */
public class ServerFacts extends Plugin implements ActionPlugin, HealthPlugin {
    private final List<HealthIndicatorService> indicators = new ArrayList<>();

    @Override
    public Collection<?> createComponents(PluginServices of) {
        indicators.add(new ShardsAvailabilityHealthIndicatorService(of.clusterService(), of.allocationService(), of.systemIndices()));
        return List.of();
    }

    @Override
    public Collection<HealthIndicatorService> getHealthIndicatorServices() {
        return List.copyOf(indicators);
    }

    @Override
    public Collection<ActionHandler<? extends ActionRequest, ? extends ActionResponse>> getActions() {
        return List.of(new ActionHandler<>(MainPage.TYPE, MainPage.class));
    }

    @Override
    public Collection<RestHandler> getRestHandlers(
        Settings settings,
        NamedWriteableRegistry writeables,
        RestController controller,
        ClusterSettings ofCluster,
        IndexScopedSettings ofIndices,
        SettingsFilter filter,
        IndexNameExpressionResolver resolver,
        Supplier<DiscoveryNodes> nodes,
        Predicate<NodeFeature> features
    ) {
        return List.of(new MainPage.Door());
    }
}
