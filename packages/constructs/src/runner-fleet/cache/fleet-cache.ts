import { Duration, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Role, WebIdentityPrincipal } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { acknowledge, acknowledgeWildcards } from '../../acknowledge.ts';
import { allow } from '../../statements.ts';
import type { FleetCacheSettings, RunnerFleetSettings } from '../settings.ts';

/** The longest job of GitHub's own runners; a role session that ends earlier would lose what a job saves last. */
const longestSession = Duration.hours(6);

/**
 * A bucket for the caches of jobs, and a role for each repository that may use it. Jobs take the role with GitHub's token
 * for OIDC, so that the role of the instances has no right on it, and a repository reads and writes below its own prefix
 * alone.
 */
export class FleetCache extends Construct {
  readonly bucket: Bucket;
  /** ARN of the role of each repository, by its name. */
  readonly roles: ReadonlyMap<string, string>;

  constructor(scope: Construct, id: string, cache: FleetCacheSettings, { title }: { readonly title: string }) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.RETAIN,
      lifecycleRules: [
        { expiration: Duration.days(cache.days), abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
    });
    acknowledge(this.bucket, { S1: 'caches that jobs can make again; a log of it would cost more than it' });
    this.roles = new Map(cache.repositories.map((name) => [name, this.#role(name, cache, title).roleArn]));
  }

  /** `owner/name=arn` of each repository. */
  get roleList(): string {
    return Fn.join(
      ' ',
      [...this.roles].map(([name, arn]) => `${name}=${arn}`),
    );
  }

  #role(repository: string, { providerArn }: FleetCacheSettings, title: string): Role {
    const [, issuer] = providerArn.split(':oidc-provider/');
    const role = new Role(this, `Role${repository.replaceAll(/[^A-Za-z0-9]/g, (sign) => `x${sign.charCodeAt(0)}`)}`, {
      description: `Jobs of ${repository} on ${title}: their part of the cache bucket`,
      assumedBy: new WebIdentityPrincipal(providerArn, {
        StringEquals: { [`${issuer}:aud`]: 'sts.amazonaws.com' },
        StringLike: { [`${issuer}:sub`]: `repo:${repository}:*` },
      }),
      maxSessionDuration: longestSession,
    });
    const prefix = `cache/${repository}/*`;
    role.addToPolicy(
      allow(['s3:GetObject', 's3:PutObject', 's3:AbortMultipartUpload'], [this.bucket.arnForObjects(prefix)]),
    );
    // Without this right a missing object is a 403 instead of a 404, and asking for an object has no prefix.
    role.addToPolicy(
      allow(['s3:ListBucket'], [this.bucket.bucketArn], { StringLikeIfExists: { 's3:prefix': prefix } }),
    );
    const bucketId = Stack.of(this).getLogicalId(this.bucket.node.defaultChild as CfnBucket);
    acknowledgeWildcards(role, { [`Resource::<${bucketId}.Arn>/${prefix}`]: 'all objects of this repository' });
    return role;
  }
}

/** The cache of a fleet that has one. */
export const cacheOf = (scope: Construct, settings: RunnerFleetSettings): FleetCache | undefined =>
  settings.cache === undefined
    ? undefined
    : new FleetCache(scope, 'Cache', settings.cache, { title: settings.groupName });
