package drover;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.elasticsearch.common.network.NetworkService;
import org.elasticsearch.common.settings.Setting;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.discovery.FileBasedSeedHostsProvider;
import org.elasticsearch.discovery.SeedHostsProvider;
import org.elasticsearch.plugins.DiscoveryPlugin;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.transport.TransportService;

/**
 * Stands in for the plugin discovery-ec2, which cannot be had here: its settings, the address `_ec2_` (that of eth0 instead of what the
 * metadata service says) and the provider `ec2`, which reads what the unit elasticsearch-seeds writes.
 */
public class Ec2Seeds extends Plugin implements DiscoveryPlugin {
    private final Path config;

    public Ec2Seeds(Settings settings, Path config) {
        this.config = config;
    }

    @Override
    public List<Setting<?>> getSettings() {
        return List.of(Setting.prefixKeySetting("discovery.ec2.tag.", key -> Setting.simpleString(key, Setting.Property.NodeScope)));
    }

    @Override
    public Map<String, Supplier<SeedHostsProvider>> getSeedHostProviders(TransportService transport, NetworkService network) {
        return Map.of("ec2", () -> new FileBasedSeedHostsProvider(config));
    }

    @Override
    public NetworkService.CustomNameResolver getCustomNameResolver(Settings settings) {
        return new NetworkService.CustomNameResolver() {
            @Override
            public InetAddress[] resolveDefault() {
                return null;
            }

            @Override
            public InetAddress[] resolveIfPossible(String name) throws IOException {
                if (!name.equals("ec2")) return null;
                return NetworkInterface.getByName("eth0").inetAddresses().filter(address -> address.getAddress().length == 4).toArray(InetAddress[]::new);
            }
        };
    }
}
