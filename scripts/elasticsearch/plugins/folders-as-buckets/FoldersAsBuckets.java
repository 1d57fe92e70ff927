package drover.buckets;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.elasticsearch.cluster.metadata.RepositoryMetadata;
import org.elasticsearch.cluster.service.ClusterService;
import org.elasticsearch.common.blobstore.BlobPath;
import org.elasticsearch.common.blobstore.BlobStore;
import org.elasticsearch.common.blobstore.fs.FsBlobStore;
import org.elasticsearch.common.util.BigArrays;
import org.elasticsearch.env.Environment;
import org.elasticsearch.indices.recovery.RecoverySettings;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.plugins.RepositoryPlugin;
import org.elasticsearch.repositories.RepositoriesMetrics;
import org.elasticsearch.repositories.Repository;
import org.elasticsearch.repositories.RepositoryException;
import org.elasticsearch.repositories.blobstore.BlobStoreRepository;
import org.elasticsearch.xcontent.NamedXContentRegistry;

/** Repositories of type `s3` for programs that register no other: a bucket is a folder of the first `path.repo`. Nothing of S3 is in them. */
public class FoldersAsBuckets extends Plugin implements RepositoryPlugin {
    private static final int BUFFER = 1 << 16;

    @Override
    public Map<String, Repository.Factory> getRepositories(
        Environment environment,
        NamedXContentRegistry registry,
        ClusterService cluster,
        BigArrays arrays,
        RecoverySettings recovery,
        RepositoriesMetrics metrics
    ) {
        Path buckets = environment.repoDirs().length == 0 ? null : environment.repoDirs()[0];
        return Map.of("s3", described -> new Bucket(described, buckets, registry, cluster, arrays, recovery));
    }

    private static final class Bucket extends BlobStoreRepository {
        private final Path folder;
        private final Path content;

        Bucket(
            RepositoryMetadata described,
            Path buckets,
            NamedXContentRegistry registry,
            ClusterService cluster,
            BigArrays arrays,
            RecoverySettings recovery
        ) {
            super(described, registry, cluster, arrays, recovery, BlobPath.EMPTY);
            String bucket = described.settings().get("bucket", "");
            if (buckets == null || bucket.isEmpty() || bucket.contains("/") || bucket.startsWith("."))
                throw new RepositoryException(described.name(), "a bucket is a folder of path.repo, not [" + bucket + "]");
            folder = buckets.resolve(bucket);
            content = folder.resolve("./" + described.settings().get("base_path", "")).normalize();
            if (content.startsWith(folder) == false) throw new RepositoryException(described.name(), "the base_path is outside its bucket");
        }

        @Override
        protected BlobStore createBlobStore() throws IOException {
            if (Files.isDirectory(folder) == false) throw new RepositoryException(getMetadata().name(), "there is no bucket [" + folder.getFileName() + "]");
            return new FsBlobStore(BUFFER, content, isReadOnly());
        }
    }
}
