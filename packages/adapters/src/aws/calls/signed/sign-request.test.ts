import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import { describe, expect, it } from 'vitest';
import { signedHeaders } from './sign-request.ts';

const region = 'eu-west-1';
const now = Date.UTC(2026, 10, 15, 5, 0, 0);
const long = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const session = { ...long, sessionToken: 'IQoJb3JpZ2luX2VjE/+=' };

const requests = {
  'a form': {
    service: 'autoscaling',
    method: 'POST',
    path: '/',
    headers: { host: 'autoscaling.eu-west-1.amazonaws.com', 'content-type': 'application/x-www-form-urlencoded' },
    body: 'Action=DescribeAutoScalingGroups&Version=2011-01-01',
  },
  'JSON that is not ASCII': {
    service: 'secretsmanager',
    method: 'POST',
    path: '/',
    headers: { host: '127.0.0.1:8601', 'x-amz-target': 'secretsmanager.GetSecretValue', 'x-odd': '  two   words ' },
    body: '{"SecretId":"schlüssel"}',
  },
  'an object that is written only if it is unchanged': {
    service: 's3',
    method: 'PUT',
    path: '/memory/fleet-memory.json',
    headers: { host: 's3.eu-west-1.amazonaws.com', 'if-match': '"abc"' },
    body: '{}',
  },
  'an object that is read': {
    service: 's3',
    method: 'GET',
    path: '/memory/fleet-memory.json',
    headers: { host: 's3.eu-west-1.amazonaws.com' },
    body: '',
  },
};

describe.each(Object.entries(requests))('the signature of %s', (_, { service, ...request }) => {
  it.each([
    ['an access key', long],
    ['the credentials of a role', session],
  ])('the signature is the one that the SDK makes, with %s', async (_name, keys) => {
    const signer = new SignatureV4({ service, region, credentials: keys, sha256: Sha256, uriEscapePath: false });
    const url = new URL(`https://${request.headers.host}`);
    const asSdk = new HttpRequest({ ...request, protocol: 'https:', hostname: url.hostname });
    const { headers } = await signer.sign(asSdk, { signingDate: new Date(now) });

    expect(signedHeaders(request, { service, region, keys, now })).toEqual(headers);
  });
});
