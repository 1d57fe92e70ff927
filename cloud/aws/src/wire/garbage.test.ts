import type { HttpRequest } from '@drover/cloud-engine';
import { SeededRandom } from '@drover/core';
import { describe, expect, it } from 'vitest';
import { createAwsEndpoint } from './endpoint.ts';

/** Set WIRE_SEED to replay a failure. */
const seed = process.env.WIRE_SEED ?? '1';
const rounds = 400;

const signed = (service: string, headers: Record<string, string>) => ({
  authorization: `AWS4-HMAC-SHA256 Credential=AKID/20260101/eu-west-1/${service}/aws4_request, SignedHeaders=host`,
  ...headers,
});

const request = (service: string, headers: Record<string, string>, body: string, rest: Partial<HttpRequest> = {}) => ({
  method: 'POST',
  host: 'localhost',
  path: '/',
  query: '',
  headers: signed(service, headers),
  body: Buffer.from(body, 'latin1'),
  ...rest,
});

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const put = { method: 'PUT', path: '/bucket/key' };
const metrics = { path: '/service/GraniteServiceVersion20100801/operation/PutMetricData' };

/** One sound request of each protocol. */
const sound: readonly (readonly [string, HttpRequest])[] = [
  [
    'Query',
    request('autoscaling', form, 'Action=CreateOrUpdateTags&Tags.member.1.Key=k&Tags.member.1.PropagateAtLaunch=true'),
  ],
  ['EC2', request('ec2', form, 'Action=DescribeInstances&Filter.1.Name=n&Filter.1.Value.1=v&MaxResults=5')],
  [
    'JSON',
    request(
      'events',
      { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AWSEvents.PutEvents' },
      '{"Entries":[{"Time":1767225600.5,"Source":"s","Resources":["r"],"Detail":"{}"}]}',
    ),
  ],
  [
    'CBOR',
    request(
      'monitoring',
      { 'content-type': 'application/cbor', 'smithy-protocol': 'rpc-v2-cbor' },
      '\xa2\x69Namespace\x61n\x6aMetricData\x81\xa2\x6aMetricName\x61m\x65Value\x03',
      metrics,
    ),
  ],
  [
    'REST with JSON',
    request('lambda', {}, '{"FunctionName":"f","Role":"r","Code":{"ZipFile":"AAEC"},"Timeout":3}', {
      path: '/2015-03-31/functions',
    }),
  ],
  [
    'REST with XML',
    request(
      'route53',
      {},
      '<CreateHostedZoneRequest><Name>a.</Name><CallerReference>c</CallerReference><VPC><VPCId>v</VPCId></VPC></CreateHostedZoneRequest>',
      { path: '/2013-04-01/hostedzone' },
    ),
  ],
  [
    'S3',
    request(
      's3',
      { 'content-encoding': 'aws-chunked' },
      '5;chunk-signature=x\r\nhello\r\n0\r\nx-amz-checksum-crc32:AAAA\r\n\r\n',
      put,
    ),
  ],
];

describe.each(sound)('%s', (_protocol, whole) => {
  const endpoint = createAwsEndpoint({ newRequestId: () => 'id', call: async () => undefined, violations: () => [] });

  it('a complete request is understood', async () => {
    expect((await endpoint(whole)).status).toBeLessThan(300);
  });

  it(`a damaged request is carried out or refused, never an internal failure (seed ${seed})`, async () => {
    const random = new SeededRandom(`${seed}/${_protocol}`);
    const failed: unknown[] = [];
    for (let round = 0; round < rounds; round++) {
      const damaged = damage(whole, random);
      const answer = await endpoint(damaged).catch((error: unknown) => ({ status: 500, body: error }));
      if (answer.status >= 500 && answer.status !== 501) failed.push({ damaged, answer: String(answer.body) });
    }
    expect(failed).toEqual([]);
  });
});

/** Bytes changed, cut, doubled; now and then a path, a query or a header too. */
function damage(whole: HttpRequest, random: SeededRandom): HttpRequest {
  const body = Buffer.from(damagedBytes(Buffer.from(whole.body), random));
  const path = random.chance(0.1)
    ? `${whole.path}${random.pick(['/', '%', '//', '/%ff', '/..', '/__proto__'])}`
    : whole.path;
  const query = random.chance(0.1) ? random.pick(['Action=x', 'uploads', '%', 'uploadId', '__proto__=1']) : whole.query;
  const name = random.pick(Object.keys(whole.headers));
  const headers = random.chance(0.1)
    ? { ...whole.headers, [name]: random.pick(['', 'x', 'gzip', '=/////']) }
    : whole.headers;
  return { ...whole, body, path, query, headers };
}

function damagedBytes(bytes: Buffer, random: SeededRandom): Uint8Array {
  if (bytes.length === 0) return bytes;
  const at = random.int(0, bytes.length - 1);
  switch (random.int(0, 3)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + random.int(1, 5))]);
    default:
      bytes[at] = random.int(0, 255);
      return random.chance(0.5) ? bytes : damagedBytes(bytes, random);
  }
}
