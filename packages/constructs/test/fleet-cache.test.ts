import { expect, it } from 'vitest';
import { synthesiseFleet } from './synth.test-support.ts';
import { ofType } from './templates.test-support.ts';

const cacheOidcProviderArn = 'arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com';
const cacheRepositories = ['acme/app', 'acme/other.site'];
const template = () => synthesiseFleet({ cacheBucket: true, cacheRepositories, cacheOidcProviderArn });

// biome-ignore lint/suspicious/noExplicitAny: policies are read into
type Policy = any;

it('cache_bucket makes an encrypted bucket without public access, whose objects and unfinished uploads end', () => {
  const buckets = ofType(template(), 'AWS::S3::Bucket').map(({ Properties }) => Properties);
  const cache = buckets.find(({ LifecycleConfiguration: rules }) => JSON.stringify(rules).includes('Abort'));

  expect(cache).toMatchObject({
    BucketEncryption: { ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: {} }] },
    PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
    LifecycleConfiguration: {
      Rules: [{ ExpirationInDays: 10, AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 }, Status: 'Enabled' }],
    },
  });
  const policies = JSON.stringify(ofType(template(), 'AWS::S3::BucketPolicy'));
  expect(policies.match(/"aws:SecureTransport":"false"/g)).toHaveLength(2);
});

it('cache_bucket makes a role for each repository, which its jobs alone may take and which reaches its prefix alone', () => {
  const roles = ofType(template(), 'AWS::IAM::Role')
    .map(({ Properties }) => Properties.AssumeRolePolicyDocument as Policy)
    .flatMap(({ Statement }) => Statement)
    .filter(({ Action }: Policy) => Action === 'sts:AssumeRoleWithWebIdentity');
  const issuer = 'token.actions.githubusercontent.com';

  expect(roles).toEqual(
    cacheRepositories.map((name) => ({
      Action: 'sts:AssumeRoleWithWebIdentity',
      Effect: 'Allow',
      Principal: { Federated: cacheOidcProviderArn },
      Condition: {
        StringEquals: { [`${issuer}:aud`]: 'sts.amazonaws.com' },
        StringLike: { [`${issuer}:sub`]: `repo:${name}:*` },
      },
    })),
  );
  const policies = ofType(template(), 'AWS::IAM::Policy').map(({ Properties }) => JSON.stringify(Properties));
  for (const name of cacheRepositories) {
    const own = policies.filter((text) => text.includes(`/cache/${name}/*`));
    expect(own).toHaveLength(1);
    for (const other of cacheRepositories) if (other !== name) expect(own[0]).not.toContain(other);
    expect(own[0]).toContain(`"StringLikeIfExists":{"s3:prefix":"cache/${name}/*"}`);
    expect(own[0]).not.toContain('Delete');
  }
});

it('the role of the instances has no right on the cache bucket, and outputs name the roles of repositories', () => {
  const { Outputs } = template() as Policy;

  expect(Outputs.CacheBucketName.Value).toMatchObject({ Ref: expect.stringMatching(/CacheBucket/) });
  const bucket = Outputs.CacheBucketName.Value.Ref as string;
  const users = ofType(template(), 'AWS::IAM::Policy').filter(({ Properties }) =>
    JSON.stringify(Properties).includes(`"${bucket}"`),
  );
  expect(users).toHaveLength(cacheRepositories.length);
  expect(JSON.stringify(Outputs.CacheRoles.Value)).toMatch(/acme\/app=.*acme\/other\.site=/);
  expect((synthesiseFleet() as Policy).Outputs).not.toHaveProperty('CacheBucketName');
});

it('s3_route_table_ids makes one gateway endpoint for S3 in these tables, and without it there is none', () => {
  const endpoints = ofType(synthesiseFleet({ s3RouteTableIds: ['rtb-1', 'rtb-2'] }), 'AWS::EC2::VPCEndpoint');

  expect(endpoints.map(({ Properties }) => Properties)).toMatchObject([
    {
      VpcEndpointType: 'Gateway',
      RouteTableIds: ['rtb-1', 'rtb-2'],
      ServiceName: { 'Fn::Join': ['', ['com.amazonaws.', { Ref: 'AWS::Region' }, '.s3']] },
    },
  ]);
  expect(ofType(synthesiseFleet(), 'AWS::EC2::VPCEndpoint')).toEqual([]);
});
