package drover;

import java.util.List;
import org.elasticsearch.common.settings.Setting;
import org.elasticsearch.plugins.Plugin;

/** Settings of modules that the test distribution is without: it would refuse to start, or to keep them, and does nothing with them. */
public class MissingModules extends Plugin {
    @Override
    public List<Setting<?>> getSettings() {
        return List.of(
            Setting.prefixKeySetting("s3.client.", key -> Setting.simpleString(key, Setting.Property.NodeScope)),
            Setting.simpleString("slm.retention_schedule", "0 30 1 * * ?", Setting.Property.NodeScope, Setting.Property.Dynamic)
        );
    }
}
