/** The class of the indicator is exported by the server to one module, which the test distribution lacks: this plugin takes its name. */
module org.elasticsearch.shardhealth {
    requires org.apache.lucene.core;
    requires org.elasticsearch.base;
    requires org.elasticsearch.server;
    requires org.elasticsearch.xcontent;

    exports drover.facts to org.elasticsearch.server;
}
