import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SignedRequest, secretsManager, signedCalls } from '@drover/adapters/aws/signed';
import { asFetch } from '@drover/cloud-engine';
import { World } from '@drover/cloud-world';
import { jsonLogger } from '@drover/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { certificateAuthorityFunction } from './certificate-authority.ts';

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
  #requests = 0;

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
    const { clock, random } = this.world.engine;
    const http = asFetch(this.world.network.from({ kind: 'function', name: 'authority' }));
    const { rootCredentials } = this.world;
    const handler = certificateAuthorityFunction({
      clock,
      random,
      log: jsonLogger({ clock, write: (line) => this.lines.push(line) }),
      fetch: http,
      aws: {
        secretsmanager: signedCalls(secretsManager, {
          region: async () => this.world.aws.region,
          credentials: async () => rootCredentials,
          clock,
          send: (request) => sendWith(http, request),
        }),
      },
    });
    this.#requests += 1;
    await handler({
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
