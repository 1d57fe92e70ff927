import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SignedRequest, secretsManager, signedCalls } from '@drover/adapters/aws/signed';
import { asFetch } from '@drover/cloud-engine';
import { World } from '@drover/cloud-world';
import { jsonLogger } from '@drover/core';
import type { AuthorityState } from '@drover/search-cluster';
import { beforeEach, describe, expect, it } from 'vitest';
import { certificateAuthorityFunction } from './certificate-authority.ts';
import { certify, makeKey } from './make-authority.ts';

interface Answer {
  readonly Status: string;
  readonly Reason?: string;
  readonly PhysicalResourceId: string;
  readonly RequestId: string;
}

async function sendWith(http: typeof fetch, { url, ...request }: SignedRequest) {
  const response = await http(url, request);
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
}

/** Secrets of the embedded cloud, and a response address that keeps what it receives. */
class Stage {
  readonly world = new World();
  readonly lines: string[] = [];
  readonly answers: Answer[] = [];
  responseStatus = 200;
  /** Calls to Secrets Manager by the function, and the one at which it dies. */
  calls = 0;
  dies: { readonly call: number; readonly phase: 'before' | 'after' } | undefined;
  #requests = 0;
  #die: () => void = () => {};

  constructor() {
    this.world.network.register('response.test', async (request) => {
      this.answers.push(JSON.parse(Buffer.from(request.body ?? '').toString()) as Answer);
      return { status: this.responseStatus, headers: {}, body: '' };
    });
  }

  async empty(): Promise<this> {
    for (const Name of ['certificate', 'key']) await this.#secrets('CreateSecret', { Name });
    return this;
  }

  async put(SecretId: string, SecretString: string): Promise<void> {
    await this.#secrets('PutSecretValue', { SecretId, SecretString });
  }

  async read(SecretId: string): Promise<string | undefined> {
    const answer = await this.#secrets('GetSecretValue', { SecretId }).catch(() => undefined);
    return (answer as { readonly SecretString?: string } | undefined)?.SecretString;
  }

  #secrets(operation: string, input: object): Promise<unknown> {
    const caller = { credentials: this.world.rootCredentials };
    return this.world.aws.call('secretsmanager', operation, input, caller);
  }

  async ask(RequestType: string, more: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    this.#requests += 1;
    await this.send({
      RequestType,
      RequestId: `00000000-0000-4000-8000-00000000000${this.#requests}`,
      StackId: 'stack',
      LogicalResourceId: 'Authority',
      ResponseURL: 'https://response.test/answer?signature=x',
      ResourceProperties: { CommonName: 'logs node authority', CertificateSecret: 'certificate', KeySecret: 'key' },
      ...more,
    });
    return this.answers.at(-1)!;
  }

  /** One invocation, to its end or its death: what died never returns. */
  async sendOrDie(event: object): Promise<unknown> {
    const died = new Promise<'died'>((resolve) => {
      this.#die = () => resolve('died');
    });
    return await Promise.race([this.send(event), died]);
  }

  async #call(act: () => ReturnType<typeof sendWith>): ReturnType<typeof sendWith> {
    const here = this.dies?.call === this.calls ? this.dies : undefined;
    this.calls += 1;
    if (here === undefined) return await act();
    if (here.phase === 'after') await act();
    this.#die();
    return await new Promise<never>(() => {});
  }

  async send(event: object): Promise<unknown> {
    const { clock, random } = this.world.engine;
    const http = asFetch(this.world.network.from({ kind: 'function', name: 'authority' }));
    const { rootCredentials } = this.world;
    const handler = certificateAuthorityFunction({
      env: { CA_CERTIFICATE_SECRET: 'certificate', CA_KEY_SECRET: 'key', CLUSTER_NAME: 'logs' },
      clock,
      random,
      log: jsonLogger({ clock, write: (line) => this.lines.push(line) }),
      fetch: http,
      aws: {
        secretsmanager: signedCalls(secretsManager, {
          region: async () => this.world.aws.region,
          credentials: async () => rootCredentials,
          clock,
          send: (request) => this.#call(() => sendWith(http, request)),
        }),
      },
    });
    return await handler(event);
  }
}

const openssl = (args: readonly string[]) => execFileSync('openssl', [...args], { encoding: 'utf8', stdio: 'pipe' });

describe('the certificate authority of a search cluster', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await new Stage().empty();
  });

  it('the certificate authority is made once: a certificate that openssl accepts, and the key that it was signed with', async () => {
    const answer = await stage.ask('Create');

    expect(answer).toMatchObject({
      Status: 'SUCCESS',
      PhysicalResourceId: 'certificate',
      LogicalResourceId: 'Authority',
    });
    const folder = mkdtempSync(join(tmpdir(), 'drover-authority-'));
    const [ca, key, request, node] = ['ca.pem', 'ca.key', 'node.csr', 'node.pem'].map((name) => join(folder, name));
    writeFileSync(ca!, (await stage.read('certificate'))!);
    writeFileSync(key!, (await stage.read('key'))!);
    const text = openssl(['x509', '-in', ca!, '-noout', '-text']);
    expect(text).toMatch(/Subject: CN ?= ?logs node authority/);
    expect(text).toMatch(/Basic Constraints: critical\s+CA:TRUE, pathlen:0/);
    expect(text).toMatch(/Key Usage: critical\s+Certificate Sign, CRL Sign/);
    expect(openssl(['verify', '-CAfile', ca!, ca!])).toContain('OK');
    openssl([
      'req',
      '-new',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-subj',
      '/CN=node',
      '-keyout',
      join(folder, 'n'),
      '-out',
      request!,
    ]);
    openssl([
      'x509',
      '-req',
      '-in',
      request!,
      '-CA',
      ca!,
      '-CAkey',
      key!,
      '-set_serial',
      '7',
      '-days',
      '3650',
      '-out',
      node!,
    ]);
    expect(openssl(['verify', '-CAfile', ca!, node!])).toContain('OK');
  });

  it('outlives certificates of ten years that it signs in its first twenty', async () => {
    await stage.ask('Create');
    const certificate = (await stage.read('certificate'))!;

    const end = execFileSync('openssl', ['x509', '-noout', '-enddate'], { input: certificate, encoding: 'utf8' });

    const years = (Date.parse(end.split('=')[1]!) - stage.world.engine.clock.now()) / (365 * 86_400_000);
    expect(years).toBeCloseTo(30, 1);
  });

  it.each(['Create', 'Update'])(
    'the certificate authority is kept when CloudFormation sends %s again',
    async (again) => {
      await stage.ask('Create');
      const before = [await stage.read('certificate'), await stage.read('key')];

      const answer = await stage.ask(again, { PhysicalResourceId: 'certificate' });

      expect(answer).toMatchObject({ Status: 'SUCCESS', PhysicalResourceId: 'certificate' });
      expect([await stage.read('certificate'), await stage.read('key')]).toEqual(before);
    },
  );

  it('stays when the stack is deleted', async () => {
    await stage.ask('Create');
    const before = [await stage.read('certificate'), await stage.read('key')];

    expect(await stage.ask('Delete', { PhysicalResourceId: 'certificate' })).toMatchObject({ Status: 'SUCCESS' });
    expect([await stage.read('certificate'), await stage.read('key')]).toEqual(before);
  });

  it('the certificate authority is finished by the next run when one ended after the key was stored', async () => {
    await stage.ask('Create');
    const key = (await stage.read('key'))!;
    const later = await new Stage().empty();
    await later.put('key', key);

    expect(await later.ask('Create')).toMatchObject({ Status: 'SUCCESS' });
    expect(await later.read('key')).toBe(key);
    expect(await later.ask('Update')).toMatchObject({ Status: 'SUCCESS' });
  });

  it('the certificate authority is never made by an update', async () => {
    const answer = await stage.ask('Update', { PhysicalResourceId: 'certificate' });

    expect(answer).toMatchObject({ Status: 'FAILED', PhysicalResourceId: 'certificate' });
    expect(answer.Reason).toContain('an update never makes a new authority');
    expect(await stage.read('key')).toBeUndefined();
  });

  it('the certificate authority is refused when the certificate has lost its key', async () => {
    await stage.ask('Create');
    const other = await new Stage().empty();
    await other.put('certificate', (await stage.read('certificate'))!);

    expect((await other.ask('Create')).Reason).toContain('its key is not');
    await other.ask('Create', { ResourceProperties: { CommonName: 'x', CertificateSecret: 'key', KeySecret: 'key' } });
    expect(await other.read('key')).toBeDefined();
    expect((await other.ask('Create')).Reason).toContain('its key is not');
  });

  it.each([
    ['a property is missing', { ResourceProperties: {} }, 'CertificateSecret is missing'],
    [
      'a secret does not exist',
      { ResourceProperties: { CommonName: 'x', CertificateSecret: 'nowhere', KeySecret: 'key' } },
      'ResourceNotFoundException',
    ],
  ])('responds FAILED with the reason when %s, so that no stack waits', async (_, changes, reason) => {
    const answer = await stage.ask('Create', changes);

    expect(answer).toMatchObject({ Status: 'FAILED', PhysicalResourceId: answer.RequestId });
    expect(answer.Reason).toContain(reason);
  });

  it('the certificate authority fails the invocation when its response is refused, so that it is tried again', async () => {
    stage.responseStatus = 403;

    await expect(stage.ask('Create')).rejects.toThrow('returned 403');
  });

  it('keeps its key out of the log and the response', async () => {
    await stage.ask('Create');
    await stage.ask('Update');
    await stage.ask('Delete');
    const told = [...stage.lines, JSON.stringify(stage.answers)].join('\n');

    const middle = (await stage.read('key'))!.split('\n')[1]!;
    expect(stage.lines.length).toBeGreaterThan(0);
    expect(told).not.toContain(middle);
    expect(told).not.toContain('PRIVATE KEY');
  });
});

describe('another certificate authority', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await new Stage().empty();
    await stage.ask('Create');
  });

  const send = (event: object) => stage.send(event) as Promise<AuthorityState>;
  const look = () => send({ rotate: 'look' });
  const act = async (rotate: string) => send({ rotate, digest: (await look()).digest });
  const subjects = ({ authorities }: AuthorityState) => authorities.map(({ subject }) => subject);

  it('comes in three acts: both are trusted, the new one signs, the old one is forgotten', async () => {
    const [old] = subjects(await look());
    const key = await stage.read('key');
    const trusted = await act('trust');
    expect(trusted).toMatchObject({ phase: 'trusted', authorities: [{ subject: old }, {}] });
    expect(await stage.read('key')).toBe(key);
    const made = subjects(trusted)[1]!;
    expect(made).toMatch(/^CN=logs node authority [0-9a-f]{8}$/);
    const signs = await act('sign');
    expect({ phase: signs.phase, subjects: subjects(signs) }).toEqual({ phase: 'signs', subjects: [made, old] });
    expect(await stage.read('key')).not.toBe(key);
    const settled = await act('forget');
    expect({ phase: settled.phase, subjects: subjects(settled) }).toEqual({ phase: 'settled', subjects: [made] });
    expect(await stage.ask('Update', { PhysicalResourceId: 'certificate' })).toMatchObject({ Status: 'SUCCESS' });
    expect(subjects(await act('trust'))[0]).toBe(made);
  });

  it('a request that comes twice, or for other secrets, changes nothing', async () => {
    const { digest } = await look();
    const first = await send({ rotate: 'trust', digest });
    const [certificate, key] = [await stage.read('certificate'), await stage.read('key')];
    expect(await send({ rotate: 'trust', digest })).toEqual(first);
    expect([await stage.read('certificate'), await stage.read('key')]).toEqual([certificate, key]);
  });

  it.each([
    ['after the key that is to come was stored', ['trust'], 'settled'],
    ['after the key was put in place', ['trust', 'sign'], 'half-signed'],
  ])('a run that ends %s is finished by the next one', async (_when, acts, left) => {
    for (const each of acts.slice(0, -1)) await act(each);
    const before = (await stage.read('certificate'))!;
    await act(acts.at(-1)!);
    await stage.put('certificate', before);
    expect((await look()).phase).toBe(left);
    expect((await act(acts.at(-1)!)).phase).toBe(acts.at(-1) === 'trust' ? 'trusted' : 'signs');
  });

  /** As the driver asks it, until another authority is the only one; returns the calls of the function. */
  async function replaced(dies?: Stage['dies']): Promise<number> {
    stage = await new Stage().empty();
    await stage.ask('Create');
    const [old] = subjects(await look());
    [stage.calls, stage.dies] = [0, dies];
    for (let round = 0; round < 12; round++) {
      const now = (await stage.sendOrDie({ rotate: 'look' })) as AuthorityState | 'died';
      if (now === 'died') continue;
      if (now.phase === 'settled' && subjects(now)[0] !== old) return stage.calls;
      const next = now.phase === 'signs' ? 'forget' : /^(trusted|half-signed)$/.test(now.phase) ? 'sign' : 'trust';
      await stage.sendOrDie({ rotate: next, digest: now.digest });
    }
    throw new Error(`no other authority after ${stage.calls} calls: ${JSON.stringify(dies)}`);
  }

  it('another authority replaces the first one although the function dies at any call, before or after it in turn', async () => {
    const calls = await replaced();
    expect(calls).toBeGreaterThan(20);
    for (let call = 0; call < calls; call++) await replaced({ call, phase: call % 2 === 0 ? 'before' : 'after' });
  }, 120_000);

  it('a second authority that two runs have made at once is replaced by the one whose key is stored', async () => {
    const before = (await stage.read('certificate'))!;
    await act('trust');
    await stage.put('certificate', `${before}${await laterCertificate(stage)}`);
    expect((await look()).phase).toBe('half-trusted');
    expect((await act('trust')).phase).toBe('trusted');
    expect((await act('sign')).phase).toBe('signs');
  });

  it('an authority that was added by hand is not touched, and no act comes out of order', async () => {
    await stage.put('certificate', `${await stage.read('certificate')}${await laterCertificate(stage)}`);
    await expect(look()).rejects.toThrow('made by hand');
    stage = await new Stage().empty();
    await stage.ask('Create');
    await expect(act('forget')).rejects.toThrow('forget does not follow settled');
  });

  it('keeps the keys out of the log and the reply', async () => {
    const replies = [await act('trust'), await act('sign'), await act('forget')];
    expect([...stage.lines, JSON.stringify(replies)].join('\n')).not.toContain('PRIVATE KEY');
    expect(stage.lines.join()).not.toContain((await stage.read('key'))!.split('\n')[1]);
  });
});

/** Of an authority whose key is lost. */
async function laterCertificate({ world: { engine } }: Stage): Promise<string> {
  const { clock, random } = engine;
  return await certify(await makeKey(), { commonName: 'another', clock, random, after: clock.now() });
}
