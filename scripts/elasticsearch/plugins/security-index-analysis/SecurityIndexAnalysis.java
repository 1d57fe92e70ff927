package drover.analysis;

import drover.server.NamedFilter;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.lucene.analysis.FilteringTokenFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.email.UAX29URLEmailTokenizer;
import org.apache.lucene.analysis.pattern.PatternCaptureGroupTokenFilter;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.index.analysis.PreConfiguredTokenFilter;
import org.elasticsearch.index.analysis.PreConfiguredTokenizer;
import org.elasticsearch.index.analysis.TokenFilterFactory;
import org.elasticsearch.indices.analysis.AnalysisModule.AnalysisProvider;
import org.elasticsearch.plugins.AnalysisPlugin;
import org.elasticsearch.plugins.Plugin;

/** The three analysis parts that the security index names: `pattern_capture`, `unique` and `uax_url_email`. Nothing else. */
public class SecurityIndexAnalysis extends Plugin implements AnalysisPlugin {
    @Override
    public Map<String, AnalysisProvider<TokenFilterFactory>> getTokenFilters() {
        return Map.of(
            "pattern_capture",
            AnalysisPlugin.requiresAnalysisSettings((index, environment, name, settings) -> new PatternCapture(name, settings))
        );
    }

    @Override
    public List<PreConfiguredTokenFilter> getPreConfiguredTokenFilters() {
        return List.of(PreConfiguredTokenFilter.singleton("unique", false, Unique::new));
    }

    @Override
    public List<PreConfiguredTokenizer> getPreConfiguredTokenizers() {
        return List.of(PreConfiguredTokenizer.singleton("uax_url_email", UAX29URLEmailTokenizer::new));
    }

    private static final class PatternCapture extends NamedFilter {
        private final boolean preserveOriginal;
        private final Pattern[] patterns;

        PatternCapture(String name, Settings settings) {
            super(name, settings);
            preserveOriginal = settings.getAsBoolean("preserve_original", true);
            patterns = settings.getAsList("patterns").stream().map(Pattern::compile).toArray(Pattern[]::new);
        }

        @Override
        public TokenStream create(TokenStream tokens) {
            return new PatternCaptureGroupTokenFilter(tokens, preserveOriginal, patterns);
        }
    }

    /** Lets every term through once. */
    private static final class Unique extends FilteringTokenFilter {
        private final CharTermAttribute term = addAttribute(CharTermAttribute.class);
        private final Set<String> seen = new HashSet<>();

        Unique(TokenStream tokens) {
            super(tokens);
        }

        @Override
        protected boolean accept() {
            return seen.add(term.toString());
        }

        @Override
        public void reset() throws IOException {
            super.reset();
            seen.clear();
        }
    }
}
