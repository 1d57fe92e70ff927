import { TerminalError } from '@drover/core';
import { environment as keys } from '@drover/core/names/runner-fleet';
import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

const token = { [keys.platformTokenSecret]: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:token' };
const app = { [keys.platformAppId]: '4711', [keys.platformAppPemSecret]: 'arn:aws:secretsmanager:…:secret:pem' };
const common = {
  AWS_REGION: 'eu-west-1',
  [keys.groupName]: 'runners',
  [keys.platformApi]: 'https://api.github.com',
  [keys.platformOrg]: 'example-org',
  [keys.allowedDrainTime]: '900',
  [keys.vendor]: 'Drover',
  [keys.memoryBucket]: 'memory',
  [keys.memoryKey]: 'fleet-memory.json',
  [keys.instanceArnPrefix]: 'arn:aws:ec2:eu-west-1:123456789012:instance/',
};

function refusal(environment: Readonly<Record<string, string>>): TerminalError {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof TerminalError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('the environment of a function', () => {
  it('is read as the construct writes it', () => {
    expect(
      readConfig({ ...common, ...token, [keys.runnerReleased]: '2026-11-01', [keys.runnerGroup]: 'builders' }),
    ).toEqual({
      groupName: 'runners',
      region: 'eu-west-1',
      platformApi: 'https://api.github.com',
      platformOrg: 'example-org',
      authentication: { kind: 'token', secretArn: token[keys.platformTokenSecret] },
      allowedDrainTimeMs: 900_000,
      vendor: 'Drover',
      runnerReleasedAt: Date.UTC(2026, 10, 1),
      instanceArnPrefix: 'arn:aws:ec2:eu-west-1:123456789012:instance/',
      memory: { bucket: 'memory', key: 'fleet-memory.json' },
      runnerGroup: 'builders',
    });
  });

  it('may lack the runner group and the release date', () => {
    expect(readConfig({ ...common, ...token })).toMatchObject({ runnerGroup: undefined, runnerReleasedAt: undefined });
  });

  it('names an app and its key in the place of a token', () => {
    expect(readConfig({ ...common, ...app }).authentication).toMatchObject({ kind: 'app', appId: '4711' });
  });

  it.each(Object.keys({ ...common, ...token }))('is refused without %s', (key) => {
    const { [key]: _, ...rest }: Record<string, string> = { ...common, ...token };

    for (const environment of [rest, { ...rest, [key]: '' }]) {
      expect(refusal(environment).message).toBe(`environment variable ${key} is missing`);
      expect(refusal(environment).remedy).toMatch(/deploy the stack again/);
    }
  });

  it('is refused with an app without its key', () => {
    const { [keys.platformAppPemSecret]: _, ...rest } = { ...common, ...app };

    expect(refusal(rest).message).toBe(`environment variable ${keys.platformAppPemSecret} is missing`);
  });

  it.each([
    [keys.allowedDrainTime, ['15m', '-1', '1.5', '9'.repeat(20)], 'a whole number'],
    [keys.platformApi, ['api.github.com', 'ftp://x', 'https://', 'https://x:99999'], 'an http(s) address'],
    [keys.runnerReleased, ['yesterday', '2026-13-01', '01.11.2026'], 'a day as YYYY-MM-DD'],
    [keys.instanceArnPrefix, ['instance/', 'arn:aws:ec2:eu-west-1:1:instance/i-1'], 'arn:<partition>:ec2:<region>'],
  ])('is refused with a malformed %s', (key, values, expected) => {
    for (const value of values) {
      const { message, remedy } = refusal({ ...common, ...token, [key]: value });

      expect(message).toContain(`environment variable ${key} is ${JSON.stringify(value)}, not ${expected}`);
      expect(remedy).toMatch(/deploy the stack again/);
    }
  });
});
