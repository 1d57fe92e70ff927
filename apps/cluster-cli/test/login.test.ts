import type { ClusterAws } from '@drover/adapters/aws';
import type { ExchangeRequest } from '@drover/adapters/elasticsearch/client';
import { describe, expect, it } from 'vitest';
import { main } from '../src/main.ts';
import { health } from './support/loopback.ts';
import { memoryFiles, memoryIo, scriptedExchange } from './support/memory-io.ts';

const factsFile = '/etc/puppetlabs/facter/facts.d/custom.json';
const facts = (values: Record<string, string>) => JSON.stringify({ elasticsearch: values });
const who = (request: ExchangeRequest) =>
  request.headers.authorization === undefined
    ? 'nobody'
    : Buffer.from(request.headers.authorization.slice(6), 'base64').toString();

/** An Elasticsearch that knows passwords, and a Secrets Manager. */
function stage(options: {
  readonly passwords?: Record<string, string>;
  readonly anonymous?: 'allowed' | 401 | 403;
  readonly secrets?: Record<string, string>;
  readonly files?: Record<string, string>;
  readonly env?: Record<string, string>;
}) {
  const seen: string[] = [];
  const { exchange } = scriptedExchange({
    '*': (request) => {
      const user = who(request);
      seen.push(user);
      const anonymous = options.anonymous ?? 401;
      if (user === 'nobody')
        return anonymous === 'allowed'
          ? { body: health }
          : {
              status: anonymous,
              body: { error: { type: 'security_exception', reason: 'missing authentication credentials' } },
            };
      const [name, password] = user.split(':');
      return options.passwords?.[name!] === password
        ? { body: health }
        : {
            status: 401,
            body: { error: { type: 'security_exception', reason: `unable to authenticate user [${name}]` } },
          };
    },
  });
  const asked: string[] = [];
  const aws = {
    secretsmanager: async (_operation: string, input: { SecretId: string; VersionStage: string }) => {
      asked.push(`${input.SecretId} ${input.VersionStage}`);
      const value = options.secrets?.[`${input.SecretId} ${input.VersionStage}`];
      if (value === undefined)
        throw Object.assign(
          new Error("Secrets Manager can't find the specified secret value for staging label: AWSPENDING"),
          { name: 'ResourceNotFoundException' },
        );
      return { VersionId: input.VersionStage, SecretString: value };
    },
  } as unknown as ClusterAws;
  const memory = memoryIo({ exchange, aws, files: memoryFiles(options.files ?? {}), env: options.env ?? {} });
  return { ...memory, seen, asked };
}

describe('the password', () => {
  it.each([
    ['the option first', ['--password', 'a', '--password-secret', 's'], {}, 'elastic:a'],
    ['then the secret that was named', ['--password-secret', 's'], { CLUSTER_CLI_PASSWORD: 'd' }, 'elastic:b'],
    ['then the facts', [], { CLUSTER_CLI_PASSWORD: 'd' }, 'elastic:c'],
    ['facts of kibana_system', ['--username', 'kibana_system'], {}, 'kibana_system:k'],
    ['then the environment', ['--username', 'app'], { CLUSTER_CLI_PASSWORD: 'd' }, 'app:d'],
  ])('comes from %s', async (_title, globals, env, expected) => {
    const { io, seen } = stage({
      passwords: { elastic: 'abc', kibana_system: 'k', app: 'd' },
      secrets: { 's AWSCURRENT': 'b', 'f AWSCURRENT': '{"password":"c"}', 'g AWSCURRENT': 'k' },
      files: { [factsFile]: facts({ elastic_secret: 'f', kibana_system_secret: 'g' }) },
      env,
    });

    await main([...globals, 'api', 'GET', '/'], io);

    expect(seen[0]).toBe(expected);
  });

  it('reads facts from the folder too, and the first file that knows one wins', async () => {
    const { io, asked } = stage({
      secrets: { 'one AWSCURRENT': 'x' },
      files: {
        '/etc/facter/facts.d/a.json': facts({ elastic_secret: 'one' }),
        '/etc/facter/facts.d/b.json': facts({ elastic_secret: 'two' }),
      },
    });

    await main(['api', 'GET', '/'], io);

    expect(asked[0]).toBe('one AWSCURRENT');
  });

  it.each([
    ['nowhere to be found', {}, 'no password for user elastic'],
    ['in a broken facts file', { files: { [factsFile]: '{' } }, 'is not JSON'],
  ])('a password that is %s: exit 1 and what to do', async (_title, options, message) => {
    const { io, stderr } = stage(options);

    expect(await main(['api', 'GET', '/'], io)).toBe(1);
    expect(stderr()).toContain(message);
    expect(stderr()).toContain('To fix it');
  });

  it('tries the pending version when the current one is refused: a change is under way', async () => {
    const { io, seen } = stage({
      passwords: { elastic: 'new' },
      secrets: { 's AWSCURRENT': 'old', 's AWSPENDING': 'new' },
    });

    expect(await main(['--password-secret', 's', 'api', 'GET', '/'], io)).toBe(0);
    expect(seen).toEqual(['elastic:old', 'elastic:new']);
  });

  it('a password that is refused in both versions of the secret: exit 1, and it is never printed', async () => {
    const { io, stderr, stdout } = stage({
      passwords: {},
      secrets: { 's AWSCURRENT': 'hunter2', 's AWSPENDING': 'hunter3' },
    });

    expect(await main(['--debug', '--password-secret', 's', 'cluster-health'], io)).toBe(1);
    expect(stderr()).toContain('unable to authenticate user [elastic]');
    expect(stderr() + stdout()).not.toMatch(/hunter/);
  });
});

describe('monitoring', () => {
  it('asks without a password first and fetches none when that is enough', async () => {
    const { io, seen, asked } = stage({ anonymous: 'allowed', files: { [factsFile]: facts({ elastic_secret: 'f' }) } });

    expect(await main(['cluster-health'], io)).toBe(0);
    expect([seen, asked]).toEqual([['nobody'], []]);
  });

  it.each([
    ['401', 401],
    ['[rule 27] 403, which an anonymous user gets when authz_exception is on', 403],
  ] as const)('fetches the password at %s', async (_title, anonymous) => {
    const { io, seen } = stage({
      anonymous,
      passwords: { elastic: 'c' },
      secrets: { 'f AWSCURRENT': 'c' },
      files: { [factsFile]: facts({ elastic_secret: 'f' }) },
    });

    expect(await main(['cat', 'shards'], io)).toBe(0);
    expect(seen).toEqual(['nobody', 'elastic:c']);
  });

  it('logs in at once as a user who was named: that is how a password is tested', async () => {
    const { io, seen } = stage({
      anonymous: 'allowed',
      passwords: { kibana_system: 'other' },
      secrets: { 'g AWSCURRENT': 'k' },
      files: { [factsFile]: facts({ kibana_system_secret: 'g' }) },
    });

    expect(await main(['--username', 'kibana_system', 'cluster-health'], io)).toBe(1);
    expect(seen[0]).toBe('kibana_system:k');
  });

  it('other commands log in at once', async () => {
    const { io, seen } = stage({
      anonymous: 'allowed',
      passwords: { elastic: 'p' },
      env: { CLUSTER_CLI_PASSWORD: 'p' },
    });

    await main(['api', 'GET', '/'], io);

    expect(seen).toEqual(['elastic:p']);
  });
});
