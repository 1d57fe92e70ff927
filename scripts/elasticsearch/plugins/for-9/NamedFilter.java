package drover.server;

import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.index.analysis.AbstractTokenFilterFactory;

/** A filter of tokens under the name that an index gives it. */
public abstract class NamedFilter extends AbstractTokenFilterFactory {
    protected NamedFilter(String name, Settings settings) {
        super(name);
    }
}
