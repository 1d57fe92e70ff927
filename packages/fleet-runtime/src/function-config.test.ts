import { TerminalError } from '@drover/core';
import { environment as keys } from '@drover/core/names/runner-fleet';
import { describe, expect, it } from 'vitest';
import { bakeDays, day, readConfig, reader } from './function-config.ts';
import { readScalingConfig } from './scaling-config.ts';

const token = { [keys.platformTokenSecret]: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:token' };
const app = {
  [keys.platformAppId]: '4711',
  [keys.platformAppPemSecret]: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:pem',
};
const common = {
  AWS_REGION: 'eu-west-1',
  [keys.groupName]: 'runners',
  [keys.platformApi]: 'https://api.github.com',
  [keys.platformOrg]: 'example-org',
  [keys.allowedDrainTime]: '900',
  [keys.idleTarget]: '1',
  [keys.scaleUpLimit]: '10',
  [keys.vendor]: 'Drover',
  [keys.memoryBucket]: 'memory',
  [keys.memoryKey]: 'fleet-memory.json',
  [keys.instanceArnPrefix]: 'arn:aws:ec2:eu-west-1:123456789012:instance/',
};

function refusal(environment: Readonly<Record<string, string>>): TerminalError {
  try {
    readConfig(environment);
    readScalingConfig(environment);
    const { optional } = reader(environment);
    optional(keys.runnerReleased, day);
    optional(keys.imageBakeDays, bakeDays);
  } catch (error) {
    if (error instanceof TerminalError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('the environment of a function', () => {
  it('the environment of a function is read as the construct writes it', () => {
    expect(readConfig({ ...common, ...token, [keys.runnerGroup]: 'builders' })).toEqual({
      groupName: 'runners',
      fleet: 'runners',
      hasTypes: false,
      hasFallback: false,
      region: 'eu-west-1',
      platformApi: 'https://api.github.com',
      level: { kind: 'org', name: 'example-org' },
      authentication: { kind: 'token', secretArn: token[keys.platformTokenSecret] },
      allowedDrainTimeMs: 900_000,
      bootTimeoutMs: 1_800_000,
      scalingMode: 'idle',
      vendor: 'Drover',
      instanceArnPrefix: 'arn:aws:ec2:eu-west-1:123456789012:instance/',
      memory: { bucket: 'memory', key: 'fleet-memory.json' },
      runnerGroup: 'builders',
    });
  });

  it('the environment of a function may lack the runner group', () => {
    expect(readConfig({ ...common, ...token })).toMatchObject({ runnerGroup: undefined });
  });

  it.each([
    ['an organisation', { [keys.platformOrg]: 'example-org' }, { kind: 'org', name: 'example-org' }],
    ['a repository', { [keys.platformRepository]: 'mona_octo/a.b-c' }, { kind: 'repo', name: 'mona_octo/a.b-c' }],
    ['an enterprise', { [keys.platformEnterprise]: 'octo' }, { kind: 'enterprise', name: 'octo' }],
  ])('the environment of a function may name %s as the level of its runners', (_, variables, level) => {
    const { [keys.platformOrg]: __, ...rest } = { ...common, ...token };

    expect(readConfig({ ...rest, ...variables }).level).toEqual(level);
  });

  it('the environment of a function is refused with no level and with two levels', () => {
    const { [keys.platformOrg]: _, ...rest } = { ...common, ...token };
    const names = `${keys.platformOrg}, ${keys.platformRepository}, ${keys.platformEnterprise}`;

    expect(refusal(rest).message).toBe(`none of the environment variables ${names} is set, not exactly one`);
    expect(refusal({ ...rest, [keys.platformOrg]: 'a', [keys.platformEnterprise]: 'b' }).message).toContain(
      `2 of the environment variables ${names}`,
    );
  });

  it('the environment of a function carries the mode and the schedules of the idle target', () => {
    const schedules = [{ cron: '0 8 * * 1-5', timeZone: 'Europe/Berlin', idleRunnersTargetCount: 0 }];
    const more = { [keys.scalingMode]: 'jobs', [keys.idleTargetSchedules]: JSON.stringify(schedules) };

    expect(readConfig({ ...common, ...token, ...more }).scalingMode).toBe('jobs');
    expect(readScalingConfig({ ...common, ...token, ...more }).idleTargetSchedules).toEqual(schedules);
  });

  it('the environment of a function has the day of the last release of the runner', () => {
    const { optional } = reader({ [keys.runnerReleased]: '2026-11-01' });
    expect(optional(keys.runnerReleased, day)).toBe(Date.UTC(2026, 10, 1));
  });

  it('the environment of a function gives the idle target and the limit of one decision, with no schedule unless it is set', () => {
    expect(readScalingConfig(common)).toEqual({ idleTarget: 1, idleTargetSchedules: [], scaleUpLimit: 10 });
  });

  it('names an app and its key instead of a token', () => {
    expect(readConfig({ ...common, ...app }).authentication).toMatchObject({ kind: 'app', appId: '4711' });
  });

  const { [keys.platformOrg]: _, ...alwaysThere } = { ...common, ...token };

  it.each(Object.keys(alwaysThere))('the environment of a function is refused without %s', (key) => {
    const { [key]: _, ...rest }: Record<string, string> = { ...common, ...token };

    for (const environment of [rest, { ...rest, [key]: '' }]) {
      expect(refusal(environment).message).toBe(`environment variable ${key} is missing`);
      expect(refusal(environment).remedy).toMatch(/deploy the stack again/);
    }
  });

  it('the environment of a function is refused with an app without its key', () => {
    const { [keys.platformAppPemSecret]: _, ...rest } = { ...common, ...app };

    expect(refusal(rest).message).toBe(`environment variable ${keys.platformAppPemSecret} is missing`);
  });

  it('the environment of a function is refused with two ways of authentication', () => {
    const { message, remedy } = refusal({ ...common, ...token, ...app });

    expect(message).toContain(keys.platformTokenSecret);
    expect(message).toContain(keys.platformAppId);
    expect(remedy).toMatch(/platform_token_secret_arn or platform_app_id, not both/);
  });

  /** Every key, with values that are not of its kind. */
  const malformed: Readonly<Record<string, readonly [readonly string[], string, object?]>> = {
    AWS_REGION: [['here', 'EU-WEST-1', 'eu-west-1a'], 'a region'],
    [keys.groupName]: [['two words', 'a/b', 'x'.repeat(50)], 'a group name'],
    [keys.platformApi]: [
      ['api.github.com', 'ftp://x', 'https://', 'https://x:99999', 'https://ghe/api/v3/'],
      'an http(s) address',
    ],
    [keys.platformOrg]: [['example org', 'https://github.com/example', 'a/b'], 'the name of an organisation'],
    [keys.platformRepository]: [['example-org', 'a/b/c', 'a/..'], 'a repository as OWNER/NAME'],
    [keys.platformEnterprise]: [['my enterprise', 'a/b'], 'the short name (slug) of an enterprise'],
    [keys.scalingMode]: [['job', 'Idle'], 'idle or jobs'],
    [keys.types]: [['yes', 'large'], 'true or false'],
    [keys.onDemandFallback]: [['yes', '1'], 'true or false'],
    [keys.idleTargetSchedules]: [
      ['0 8 * * *', '{}', '[{"cron":"0 25 * * *","timeZone":"UTC","idleRunnersTargetCount":1}]'],
      'a JSON list of schedules',
    ],
    [keys.platformTokenSecret]: [['ghp_token', 'arn:aws:s3:::bucket'], 'arn:<partition>:secretsmanager'],
    [keys.platformAppId]: [['my-app', '4711 '], 'the number of an app', app],
    [keys.platformAppPemSecret]: [['-----BEGIN RSA PRIVATE KEY-----'], 'arn:<partition>:secretsmanager', app],
    [keys.idleTarget]: [['-1', 'one', '1001'], 'a number of runners'],
    [keys.scaleUpLimit]: [['0', '1.5', '9'.repeat(20)], 'a number of runners'],
    [keys.allowedDrainTime]: [['15m', '-1', '1.5', '172801', '9'.repeat(20)], 'a whole number of seconds'],
    [keys.bootTimeout]: [['30m', '-1', '172801'], 'a whole number of seconds'],
    [keys.vendor]: [['AWS/EC2', 'My Vendor'], 'letters, digits'],
    [keys.memoryBucket]: [['s3://memory', 'Memory', 'm'], 'the name of a bucket'],
    [keys.memoryKey]: [['/memory', 'two words', '../x?'], 'the key of an object'],
    [keys.runnerReleased]: [['yesterday', '2026-13-01', '2026-02-30', '01.11.2026'], 'a day as YYYY-MM-DD'],
    [keys.imageBakeDays]: [['0', '7d', '1000'], 'a number of days'],
    [keys.runnerGroup]: [[' builders', '\n'], 'the name of a runner group'],
    [keys.instanceArnPrefix]: [['instance/', 'arn:aws:ec2:eu-west-1:1:instance/i-1'], 'arn:<partition>:ec2:<region>'],
  };

  it('the table of malformed values has a row for each key', () => {
    expect(Object.keys(malformed).sort()).toEqual(['AWS_REGION', ...Object.values(keys)].sort());
  });

  it.each(Object.entries(malformed))(
    'the environment of a function is refused with a malformed %s',
    (key, [values, expected, login = token]) => {
      for (const value of values) {
        const { message, remedy } = refusal({ ...common, ...login, [key]: value });

        expect(message).toContain(`environment variable ${key} is ${JSON.stringify(value)}, not ${expected}`);
        expect(remedy).toMatch(/deploy the stack again/);
      }
    },
  );
});
