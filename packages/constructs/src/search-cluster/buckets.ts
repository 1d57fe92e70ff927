import { Aws, Duration, Fn, RemovalPolicy } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import type { SearchClusterSettings } from './settings.ts';

/** A deleted snapshot can be restored for this long. */
const keptVersionsDays = 30;

/** Buckets for the snapshots and for the state from before the cluster has formed: private, encrypted, TLS only. */
export class ClusterBuckets extends Construct {
  readonly snapshots: Bucket;
  readonly state: Bucket;

  constructor(scope: Construct, id: string, settings: SearchClusterSettings) {
    super(scope, id);
    this.snapshots = new Bucket(this, 'Snapshots', {
      ...closed,
      ...this.#encryption(settings.snapshotKmsKeyArn),
      bucketName: `${settings.snapshotBucketPrefix}-${uniqueToStack()}`,
      versioned: true,
      lifecycleRules: [
        {
          noncurrentVersionExpiration: Duration.days(keptVersionsDays),
          abortIncompleteMultipartUploadAfter: Duration.days(7),
          // The marker that is left of a deleted object when its last version has expired.
          expiredObjectDeleteMarker: true,
        },
      ],
      ...(settings.snapshotForceDestroy
        ? { removalPolicy: RemovalPolicy.DESTROY, autoDeleteObjects: true }
        : { removalPolicy: RemovalPolicy.RETAIN }),
    });
    acknowledge(this.snapshots, {
      S1: 'only the roles of the nodes reach it; data events of CloudTrail record each request where they are enabled',
    });
    this.state = new Bucket(this, 'State', { ...closed, versioned: true, removalPolicy: RemovalPolicy.RETAIN });
    acknowledge(this.state, { S1: 'a few small objects, written by the nodes and a function' });
  }

  /** With a key for the bucket KMS is asked once for many objects, not for each. */
  #encryption(keyArn: string | undefined) {
    if (keyArn === undefined) return {};
    const encryptionKey = Key.fromKeyArn(this, 'SnapshotKey', keyArn);
    return { encryption: BucketEncryption.KMS, encryptionKey, bucketKeyEnabled: true };
  }
}

const closed = {
  encryption: BucketEncryption.S3_MANAGED,
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  enforceSSL: true,
};

/** The last part of the stack's uuid: the name of a retained bucket never collides with that of a new stack. */
const uniqueToStack = () => Fn.select(4, Fn.split('-', Fn.select(2, Fn.split('/', Aws.STACK_ID))));
