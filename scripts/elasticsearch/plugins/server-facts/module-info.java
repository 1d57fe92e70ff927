/** The server exports its indicator of shards to a module of this name only. */
module org.elasticsearch.shardhealth {
    requires org.apache.lucene.core;
    requires org.elasticsearch.base;
    requires org.elasticsearch.server;
    requires org.elasticsearch.xcontent;

    exports drover.facts to org.elasticsearch.server;
}
