import type { ArnScope } from '../../account/arn.ts';
import { AwsError } from '../../account/errors.ts';
import type { ResourceProperties, ResourceProvider, ResourceProviders, ResourceState } from '../../account/service.ts';
import type { Bucket, VersioningStatus } from './model.ts';
import { bucketArn } from './permissions.ts';
import type { Storage } from './state.ts';

/** Properties of AWS::S3::Bucket that are stored under the noun of their operation. */
const storedProperties: Readonly<Record<string, string>> = {
  PublicAccessBlockConfiguration: 'PublicAccessBlock',
  OwnershipControls: 'BucketOwnershipControls',
  Tags: 'BucketTagging',
};

/** Properties with an effect that is not modelled are refused, so that no template relies on them. */
const refusedProperties = [
  'NotificationConfiguration',
  'ReplicationConfiguration',
  'WebsiteConfiguration',
  'ObjectLockConfiguration',
];

export const s3Resources = (storage: Storage, scope: ArnScope): ResourceProviders => ({
  'AWS::S3::Bucket': bucketProvider(storage, scope),
  'AWS::S3::BucketPolicy': bucketPolicyProvider(storage),
});

const bucketProvider = (storage: Storage, scope: ArnScope): ResourceProvider => ({
  create: ({ properties, generateName }) => {
    const bucket = storage.createBucket(properties.BucketName ?? generateName(63).toLowerCase());
    return configure(bucket, properties, scope);
  },
  update: ({ physicalId, properties }) => configure(storage.bucket(physicalId), properties, scope),
  delete: ({ physicalId }) => {
    if (storage.buckets.has(physicalId)) storage.deleteBucket(physicalId);
  },
});

function configure(bucket: Bucket, properties: ResourceProperties, scope: ArnScope): ResourceState {
  const refused = refusedProperties.find((name) => properties[name] !== undefined);
  if (refused !== undefined)
    throw new AwsError('InvalidRequest', `the embedded cloud does not model ${refused} of AWS::S3::Bucket`, 400);
  bucket.versioning = properties.VersioningConfiguration?.Status as VersioningStatus | undefined;
  for (const [property, noun] of Object.entries(storedProperties)) setOrClear(bucket, noun, properties[property]);
  setOrClear(bucket, 'BucketLifecycleConfiguration', lifecycleRules(properties.LifecycleConfiguration));
  setOrClear(bucket, 'BucketEncryption', encryption(properties.BucketEncryption));
  return { physicalId: bucket.name, attributes: attributesOf(bucket.name, scope) };
}

function setOrClear(bucket: Bucket, noun: string, value: unknown): void {
  if (value === undefined) bucket.settings.delete(noun);
  else bucket.settings.set(noun, value);
}

/** CloudFormation and the API call the same thing by different names. */
function encryption(property: ResourceProperties | undefined): unknown {
  if (property === undefined) return undefined;
  const rules = property.ServerSideEncryptionConfiguration as readonly ResourceProperties[];
  return {
    Rules: rules.map((rule) => ({
      ApplyServerSideEncryptionByDefault: rule.ServerSideEncryptionByDefault,
      BucketKeyEnabled: rule.BucketKeyEnabled,
    })),
  };
}

const lifecycleActions = [
  'ExpirationInDays',
  'ExpirationDate',
  'ExpiredObjectDeleteMarker',
  'NoncurrentVersionExpiration',
  'NoncurrentVersionExpirationInDays',
  'NoncurrentVersionTransition',
  'NoncurrentVersionTransitions',
  'AbortIncompleteMultipartUpload',
  'Transition',
  'Transitions',
];

/** The parts of lifecycle rules that templates here use. They are described, not carried out. */
function lifecycleRules(property: ResourceProperties | undefined): unknown {
  const rules = property?.Rules as readonly ResourceProperties[] | undefined;
  for (const rule of rules ?? [])
    if (!lifecycleActions.some((action) => rule[action] !== undefined))
      throw new AwsError('InvalidRequest', 'At least one action needs to be specified in a rule.');
  return rules?.map((rule) => ({
    ID: rule.Id,
    Status: rule.Status,
    Filter: { Prefix: rule.Prefix ?? '' },
    Expiration: days('Days', rule.ExpirationInDays),
    NoncurrentVersionExpiration: days(
      'NoncurrentDays',
      rule.NoncurrentVersionExpiration?.NoncurrentDays ?? rule.NoncurrentVersionExpirationInDays,
    ),
    AbortIncompleteMultipartUpload: days(
      'DaysAfterInitiation',
      rule.AbortIncompleteMultipartUpload?.DaysAfterInitiation,
    ),
  }));
}

const days = (member: string, value: number | undefined) => (value === undefined ? undefined : { [member]: value });

const attributesOf = (name: string, { region }: ArnScope) => ({
  Arn: bucketArn(name),
  DomainName: `${name}.s3.amazonaws.com`,
  DualStackDomainName: `${name}.s3.dualstack.${region}.amazonaws.com`,
  RegionalDomainName: `${name}.s3.${region}.amazonaws.com`,
  WebsiteURL: `http://${name}.s3-website-${region}.amazonaws.com`,
});

const bucketPolicyProvider = (storage: Storage): ResourceProvider => {
  const put = (properties: ResourceProperties): ResourceState => {
    const { Bucket, PolicyDocument } = properties as { Bucket: string; PolicyDocument: unknown };
    const text = typeof PolicyDocument === 'string' ? PolicyDocument : JSON.stringify(PolicyDocument);
    storage.bucket(Bucket).settings.set('BucketPolicy', text);
    return { physicalId: Bucket };
  };
  return {
    create: ({ properties }) => put(properties),
    update: ({ properties }) => put(properties),
    delete: ({ physicalId }) => void storage.buckets.get(physicalId)?.settings.delete('BucketPolicy'),
  };
};
