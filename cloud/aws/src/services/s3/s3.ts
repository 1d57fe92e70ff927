import { AwsError } from '../../account/errors.ts';
import type { AwsNeighbours, S3Neighbour } from '../../account/neighbours.ts';
import type { AwsService, Operation, Operations, ResourceProviders } from '../../account/service.ts';
import { currentVersion } from './model.ts';
import { bucketOperations } from './operations/buckets.ts';
import { listOperations } from './operations/listing.ts';
import { objectKeys } from './operations/object-keys.ts';
import { objectOperations } from './operations/objects.ts';
import { settingOperations } from './operations/settings.ts';
import { bucketOfArn } from './permissions.ts';
import { s3Resources } from './resources.ts';
import { Storage } from './state.ts';

/** Every bucket is of this account (User Guide, "Verifying bucket ownership with bucket owner condition"). */
const ofExpectedOwner = (operation: Operation, accountId: string): Operation => ({
  ...operation,
  run(input: { readonly ExpectedBucketOwner?: string }, call) {
    if ((input.ExpectedBucketOwner ?? accountId) !== accountId)
      throw new AwsError('AccessDenied', 'Access Denied', 403);
    return operation.run(input, call);
  },
});

/** Buckets and objects. */
export class S3 implements AwsService, S3Neighbour {
  readonly operations: Operations;
  readonly resources: ResourceProviders;
  readonly storage: Storage;
  protected readonly aws: AwsNeighbours;

  constructor(aws: AwsNeighbours) {
    this.aws = aws;
    const random = aws.engine.random.fork('s3');
    this.storage = new Storage(aws.engine.clock, random);
    const operations: Operations = {
      ...bucketOperations(this.storage, aws.region),
      ...objectOperations(
        this.storage,
        (call, permission) => aws.iam.authorize(call.principal, permission, 's3'),
        objectKeys(aws),
      ),
      ...listOperations(this.storage),
      ...settingOperations(this.storage),
    };
    this.operations = Object.fromEntries(
      Object.entries(operations).map(([name, operation]) => [name, ofExpectedOwner(operation, aws.accountId)]),
    );
    this.resources = s3Resources(this.storage, aws);
    aws.iam.registerResourcePolicies('s3', (arn) => {
      const document = this.bucketPolicy(bucketOfArn(arn));
      return document === undefined ? undefined : { document };
    });
  }

  getObject(bucket: string, key: string): Uint8Array | undefined {
    const found = this.storage.buckets.get(bucket);
    return found === undefined ? undefined : currentVersion(found, key)?.body;
  }

  putObject(bucket: string, key: string, body: Uint8Array): void {
    this.storage.put(this.storage.bucket(bucket), key, body);
  }

  createBucket(bucket: string): void {
    if (!this.storage.buckets.has(bucket)) this.storage.createBucket(bucket);
  }

  createForeignBucket(bucket: string): void {
    this.storage.createBucket(bucket, { foreign: true });
  }

  onObjectPut(listener: (bucket: string, key: string, body: Uint8Array) => void): void {
    this.storage.onPut(listener);
  }

  bucketPolicy(bucket: string): string | undefined {
    return this.storage.buckets.get(bucket)?.settings.get('BucketPolicy') as string | undefined;
  }
}
