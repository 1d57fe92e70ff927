import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { outsideClients } from '../../../../cloud/aws/test/outside/outside-client.ts';
import { writeLocalEnv } from '../../../../packages/local/src/local/local-env.ts';

const installed = outsideClients('aws', 'apt-get install awscli');
const shells = ['sh', 'bash', 'zsh', 'ksh'].filter((shell) => existsSync(`/bin/${shell}`));
const describeGroups = 'aws autoscaling describe-auto-scaling-groups --query AutoScalingGroups --output json';

/** Stands for the embedded cloud, and as the HTTPS proxy for everything that is not on this machine. */
class Listener {
  readonly credentials: string[] = [];
  readonly left: string[] = [];
  readonly #server: Server = createServer((request, response) => {
    this.credentials.push(request.headers.authorization ?? '');
    response.setHeader('content-type', 'text/xml');
    response.end(
      '<DescribeAutoScalingGroupsResponse xmlns="http://autoscaling.amazonaws.com/doc/2011-01-01/"><DescribeAutoScalingGroupsResult><AutoScalingGroups/></DescribeAutoScalingGroupsResult></DescribeAutoScalingGroupsResponse>',
    );
  }).on('connect', (request, socket) => {
    this.left.push(request.url ?? '');
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  open(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

describe('local.env in another shell', () => {
  const listener = new Listener();
  // A space and a quote in the path must not matter.
  const folder = join(mkdtempSync(join(tmpdir(), 'drover-local-env-')), "it's here");
  let file = '';

  beforeAll(async () => {
    await listener.open();
    mkdirSync(join(folder, 'home/.aws'), { recursive: true });
    writeFileSync(
      join(folder, 'home/.aws/credentials'),
      ['default', 'work'].map((name) => `[${name}]\naws_access_key_id=REALKEY\naws_secret_access_key=real\n`).join(''),
    );
    file = writeLocalEnv(folder, {
      aws: { url: listener.url, region: 'eu-west-1', accessKeyId: 'LOCALKEY', secretAccessKey: 'local' },
      platform: { url: 'http://127.0.0.1:1', token: 't' },
      search: { host: '127.0.1.1', port: 1, password: 'p' },
      console: 'http://127.0.0.1:8600',
      stacks: { fleet: 'drover', cluster: 'drover' },
    });
  });
  beforeEach(() => {
    listener.credentials.splice(0);
    listener.left.splice(0);
  });
  afterAll(() => {
    listener.close();
    rmSync(dirname(folder), { recursive: true });
  });

  /** A shell of a user who works with a real account, and whose `aws` is the given one. */
  function run(shell: string, aws: string | undefined, script: string) {
    const bin = mkdtempSync(join(folder, 'bin-'));
    if (aws === undefined) symlinkSync('/usr/bin/dirname', join(bin, 'dirname'));
    else writeFileSync(join(bin, 'aws'), `#!/bin/sh\nexec '${aws}' "$@"\n`, { mode: 0o755 });
    const env = {
      PATH: aws === undefined ? bin : `${bin}:${process.env.PATH}`,
      HOME: join(folder, 'home'),
      AWS_PROFILE: 'work',
      AWS_SESSION_TOKEN: 'real-token',
      AWS_MAX_ATTEMPTS: '1',
      HTTPS_PROXY: listener.url,
      NO_PROXY: '127.0.0.1',
      FILE: file,
    };
    return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      execFile(`/bin/${shell}`, ['-euc', script], { cwd: folder, env }, (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
      );
    });
  }

  describe.each(installed)('with the AWS CLI of $path $reason', ({ path, missing }) => {
    it.skipIf(missing).each(shells)('aws in %s talks to the embedded cloud and to nothing else', async (shell) => {
      const ran = await run(shell, path, `. "$FILE"; . "$FILE"; ${describeGroups}`);

      expect(ran, ran.stderr).toMatchObject({ code: 0, stdout: '[]\n' });
      expect(listener.credentials).toEqual([expect.stringContaining('Credential=LOCALKEY/')]);
      expect(listener.left).toEqual([]);
    });

    it.skipIf(missing)('a program that the shell starts uses the embedded cloud too', async () => {
      const args = describeGroups.slice('aws '.length);
      const ran = await run('sh', path, `. "$FILE"; echo ${args} | xargs aws`);

      expect(ran, ran.stderr).toMatchObject({ code: 0, stdout: '[]\n' });
      expect(listener.left).toEqual([]);
    });

    it.skipIf(missing)('an endpoint that is named on the command line is kept', async () => {
      const ran = await run(
        'sh',
        path,
        `. "$FILE"; export AWS_ENDPOINT_URL=http://127.0.0.1:1; ${describeGroups} --endpoint-url ${listener.url}`,
      );

      expect(ran, ran.stderr).toMatchObject({ code: 0, stdout: '[]\n' });
    });

    it.skipIf(missing)('a profile of a real account cannot be used', async () => {
      const ran = await run('sh', path, `. "$FILE"; ${describeGroups} --profile work`);

      expect(ran.code).not.toBe(0);
      expect(ran.stderr).toContain('The config profile (work) could not be found');
      expect([...listener.credentials, ...listener.left]).toEqual([]);
    });

    it.skipIf(missing)('aws without AWS_ENDPOINT_URL is refused', async () => {
      const ran = await run('sh', path, `. "$FILE"; unset AWS_ENDPOINT_URL; ${describeGroups}`);

      expect(ran.code).toBe(2);
      expect(ran.stderr).toContain('AWS_ENDPOINT_URL is not set');
      expect([...listener.credentials, ...listener.left]).toEqual([]);
    });
  });

  it('a missing AWS CLI is reported with what to install', async () => {
    const ran = await run('sh', undefined, `. "$FILE"; ${describeGroups}`);

    expect(ran.code).toBe(127);
    expect(ran.stderr).toContain('apt install awscli');
  });
});
