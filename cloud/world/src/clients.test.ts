import { DescribeInstancesCommand } from '@aws-sdk/client-ec2';
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { describe, expect, it } from 'vitest';
import { clients } from './clients.ts';
import { World } from './world.ts';

describe.each([
  ['default', {}],
  ['fast', { fast: true }],
])('%s clients of a world', (_kind, options) => {
  it('reach it in process as the root of its account', async () => {
    const { sts } = clients(new World({ accountId: '111122223333' }), undefined, options);
    const { Arn } = await sts.send(new GetCallerIdentityCommand({}));
    expect(Arn).toBe('arn:aws:iam::111122223333:root');
  });

  it('clients of a world are created once', () => {
    const made = clients(new World(), undefined, options);
    expect(made.cloudwatch).toBe(made.cloudwatch);
  });

  it('clients with unknown credentials are refused', async () => {
    const stranger = { accessKeyId: 'AKIASTRANGER', secretAccessKey: 'x' };
    const { ec2 } = clients(new World(), stranger, { ...options, maxAttempts: 1 });
    await expect(ec2.send(new DescribeInstancesCommand({}))).rejects.toMatchObject({
      $metadata: { httpStatusCode: expect.toSatisfy((status) => status === 401 || status === 403) },
    });
  });
});
