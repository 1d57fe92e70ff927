import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outsideClient } from '../../../../cloud/aws/test/outside/outside-client.ts';

const apt = outsideClient('apt-get', 'a Debian or an Ubuntu');
const gpg = outsideClient('gpg', 'apt-get install gpg gpg-agent curl');
const program = fileURLToPath(new URL('../../src/boot/bin/fetch-elasticsearch', import.meta.url));
const plugin = 'discovery-ec2';

describe.skipIf(apt.missing || gpg.missing)(`what an upgrade fetches, from a mirror ${apt.reason}${gpg.reason}`, () => {
  const root = mkdtempSync(join(tmpdir(), 'fetch-'));
  const at = (...path: string[]) => join(root, ...path);
  const home = ['--homedir', at('keys'), '--batch', '--quiet'];
  const served = new Map<string, Buffer>();
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    if (isAway) return void response.destroy();
    const found = served.get(url);
    response.writeHead(found === undefined ? 404 : 200).end(found);
  });
  let mirror = '';
  let isAway = false;

  const write = (path: string, text: string) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  };
  const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  const packed = (version: string) => {
    const control = `Package: elasticsearch\nVersion: ${version}\nArchitecture: all\nMaintainer: none\nDescription: none\n`;
    write(`${version}/DEBIAN/control`, control);
    execFileSync('dpkg-deb', ['--build', '--root-owner-group', at(version), at(`${version}.deb`)], { stdio: 'ignore' });
    const bytes = readFileSync(at(`${version}.deb`));
    served.set(`/packages/8.x/apt/pool/elasticsearch-${version}.deb`, bytes);
    return `${control}Filename: pool/elasticsearch-${version}.deb\nSize: ${bytes.length}\nSHA256: ${sha256(bytes)}\n\n`;
  };
  /** A repository with these versions, signed as Elastic signs its own. */
  const publish = (...versions: string[]) => {
    const packages = Buffer.from(versions.map(packed).join(''));
    const list = `main/binary-amd64/Packages`;
    const dated = new Date(Date.parse('2026-01-05')).toUTCString();
    write(
      'Release',
      `Suite: stable\nCodename: stable\nComponents: main\nArchitectures: amd64\nDate: ${dated}\nSHA256:\n ${sha256(packages)} ${packages.length} ${list}\n`,
    );
    execFileSync(gpg.path, [...home, '--yes', '--clearsign', '--output', at('InRelease'), at('Release')]);
    served.set(`/packages/8.x/apt/dists/stable/${list}`, packages);
    served.set('/packages/8.x/apt/dists/stable/InRelease', readFileSync(at('InRelease')));
  };
  /** The program as it is, but for the place of the key; apt has folders of its own. */
  const fetch = async (version: string, names: readonly string[] = [plugin]) => {
    asked.length = 0;
    const env = { ...process.env, APT_CONFIG: at('apt.conf'), PLUGIN_CACHE: at('plugins'), NEEDED_KB: '1000' };
    const child = spawn('sh', [at('program'), version, mirror, ...names], { env });
    let stderr = '';
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
    return { status, stderr };
  };
  const fetched = () => readdirSync(at('cache/archives')).filter((name) => name.endsWith('.deb'));

  beforeAll(async () => {
    for (const folder of [
      'state/lists/partial',
      'cache/archives/partial',
      'etc/apt.conf.d',
      'etc/preferences.d',
      'keys',
    ])
      mkdirSync(at(folder), { recursive: true });
    chmodSync(at('keys'), 0o700);
    write('status', 'Package: elasticsearch\nVersion: 8.19.21\nArchitecture: all\nStatus: install ok installed\n\n');
    const settings = {
      'Dir::State': at('state'),
      'Dir::State::status': at('status'),
      'Dir::Cache': at('cache'),
      'Dir::Etc': at('etc'),
      'APT::Architecture': 'amd64',
      'APT::Sandbox::User': 'root',
      'Acquire::Retries': '0',
      'Acquire::Languages': 'none',
    };
    write(
      'apt.conf',
      Object.entries(settings)
        .map(([name, value]) => `${name} "${value}";\n`)
        .join(''),
    );
    const key = ['--passphrase', '', '--quick-generate-key', 'Mirror <mirror@example.org>', 'rsa2048', 'sign', 'never'];
    execFileSync(gpg.path, [...home, '--pinentry-mode', 'loopback', ...key], { stdio: 'ignore' });
    write('elastic.asc', execFileSync(gpg.path, [...home, '--armor', '--export'], { encoding: 'utf8' }));
    write('program', readFileSync(program, 'utf8').replaceAll('/usr/share/keyrings/elastic.asc', at('elastic.asc')));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    mirror = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    served.set(`/downloads/elasticsearch-plugins/${plugin}/${plugin}-8.19.22.zip`, Buffer.from('PK'));
  }, 60_000);
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    execFileSync('gpgconf', ['--homedir', at('keys'), '--kill', 'gpg-agent']);
    rmSync(root, { recursive: true });
  });

  it('a version that was published a moment ago is fetched, with its plugins, and nothing is installed', async () => {
    publish('8.19.21');
    const before = await fetch('8.19.22');
    expect(before.status).not.toBe(0);
    expect(before.stderr).toContain("E: Version '8.19.22' for 'elasticsearch' was not found");

    publish('8.19.21', '8.19.22');
    expect(await fetch('8.19.22')).toEqual({ status: 0, stderr: '' });
    expect(fetched()).toEqual(['elasticsearch_8.19.22_all.deb']);
    expect(readFileSync(at('status'), 'utf8')).toContain('Version: 8.19.21\n');
    expect(existsSync(at('plugins', `${plugin}-8.19.22.zip`))).toBe(true);

    // Once more, as a driver that was killed does it.
    expect((await fetch('8.19.22')).status).toBe(0);
    expect(asked.filter((url) => /\.(deb|zip)$/.test(url))).toEqual([]);
  }, 60_000);

  it('a package that is not the one of the signed list, a plugin that is missing and a mirror that is away are refused', async () => {
    publish('8.19.23');
    served.set('/packages/8.x/apt/pool/elasticsearch-8.19.23.deb', Buffer.from('another one'));
    const damaged = await fetch('8.19.23');
    expect(damaged.status).not.toBe(0);
    expect(damaged.stderr).toMatch(/Hash Sum mismatch|File has unexpected size/);
    expect(fetched()).not.toContain('elasticsearch_8.19.23_all.deb');

    publish('8.19.22');
    const lacking = await fetch('8.19.22', ['analysis-icu']);
    expect(lacking.status).not.toBe(0);
    expect(lacking.stderr).toContain('404');
    expect(existsSync(at('plugins', 'analysis-icu-8.19.22.zip'))).toBe(false);

    // apt would go on with what it read before.
    isAway = true;
    const away = await fetch('8.19.22');
    expect(away.status).not.toBe(0);
    expect(away.stderr).toMatch(/^E: /m);
  }, 60_000);
});
