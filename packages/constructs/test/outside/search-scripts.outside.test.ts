import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { outsideClient } from '../../../../cloud/aws/test/outside/outside-client.ts';
import { puppetTree } from './scratch-root.ts';
import { SearchScratchRoot } from './search-scratch-root.ts';

const openssl = outsideClient('openssl', 'apt-get install openssl', { probe: ['version'] });
const gpg = outsideClient('gpg', 'apt-get install gpg gpg-agent curl');
const exporter = outsideClient(
  'prometheus-elasticsearch-exporter',
  'apt-get install prometheus-elasticsearch-exporter',
);
const scripts = join(puppetTree, 'modules/drover_search/files');

describe.skipIf(openssl.missing)(`the certificate of a node ${openssl.reason}`, () => {
  const scratch = new SearchScratchRoot('search_master');
  const directory = join(scratch.folder, 'tls');
  mkdirSync(directory);
  afterAll(() => scratch.remove());
  const { username } = userInfo();
  const group = spawnSync('id', ['-gn'], { encoding: 'utf8' }).stdout.trim();
  const cli = join(scratch.root, 'opt/drover/bin/cluster-cli');
  const run = (act: 'check' | 'make', host = 'a', address = '10.0.0.1') =>
    spawnSync('sh', [join(scripts, 'node-certificate.sh'), directory, host, address, username, group, cli, '3650', act])
      .status;
  /** The same certificate with another time to live. */
  const signFor = (days: number) => {
    const sign = `printf 'subjectAltName=DNS:a,IP:10.0.0.1' >ext
      openssl req -new -key node.key -subj /CN=a -out csr
      openssl x509 -req -in csr -CA ca.crt -CAkey ${scratch.secrets}/ca_key_secret -set_serial 1 -days ${days} -extfile ext -out node.crt
      rm ext csr`;
    spawnSync('sh', ['-c', sign], { cwd: directory });
  };

  it('the certificate of a node is valid for its own name and address only', () => {
    expect(run('check')).not.toBe(0);
    expect(run('make')).toBe(0);
    expect(run('check')).toBe(0);
    expect(run('check', 'b')).not.toBe(0);
    expect(run('check', 'a', '10.0.0.2')).not.toBe(0);
    expect(readdirSync(directory).sort()).toEqual(['ca.crt', 'node.crt', 'node.key']);
  });

  it('the certificate of a node is renewed a month before it expires', () => {
    signFor(40);
    expect(run('check')).toBe(0);
    signFor(20);
    expect(run('check')).not.toBe(0);
    expect(run('make')).toBe(0);
    expect(run('check')).toBe(0);
  });

  it('the certificate of a node is kept when the secrets cannot be read', () => {
    const before = readFileSync(join(directory, 'node.crt'), 'utf8');
    rmSync(join(scratch.secrets, 'ca_key_secret'));

    expect(run('make')).not.toBe(0);
    expect(run('check')).toBe(0);
    expect(readFileSync(join(directory, 'node.crt'), 'utf8')).toBe(before);
  });
});

describe.skipIf(gpg.missing)(`the key of Elasticsearch's repository ${gpg.reason}`, () => {
  const scratch = mkdtempSync(join(tmpdir(), 'drover-key-'));
  const home = join(scratch, 'gnupg');
  mkdirSync(home, { mode: 0o700 });
  const env = { ...process.env, GNUPGHOME: home };
  afterAll(() => {
    spawnSync('gpgconf', ['--kill', 'all'], { env });
    rmSync(scratch, { recursive: true });
  });
  const sign = (...args: readonly string[]) =>
    spawnSync(gpg.path, ['--batch', '--pinentry-mode', 'loopback', '--passphrase', '', ...args], {
      env,
      encoding: 'utf8',
    }).stdout;
  const [published, file] = [join(scratch, 'published.asc'), join(scratch, 'keyrings/elastic.asc')];
  const publish = (fingerprint: string) => writeFileSync(published, sign('--armor', '--export', fingerprint));
  const makeKey = (name: string, expires: string) => {
    sign('--quick-generate-key', name, 'ed25519', 'sign', expires);
    return /^fpr:+(\w+):/m.exec(sign('--with-colons', '--list-keys', name))![1]!;
  };
  const run = (act: 'check' | 'fetch', fingerprint: string) =>
    spawnSync('sh', [join(scripts, 'fetch-key.sh'), `file://${published}`, fingerprint, file, act], { env }).status;

  it('the key of the repository is fetched again when it expires within a month, and arrives when it was renewed', () => {
    const fingerprint = makeKey('elastic', '20d');
    publish(fingerprint);
    expect([run('check', fingerprint), run('fetch', fingerprint)]).toEqual([1, 0]);
    const old = readFileSync(file, 'utf8');
    // Once a day: a second run of Puppet changes nothing.
    expect(run('check', fingerprint)).toBe(0);
    utimesSync(file, 0, 0);
    expect(run('check', fingerprint)).toBe(1);
    sign('--quick-set-expire', fingerprint, '2y');
    publish(fingerprint);

    expect([run('fetch', fingerprint), run('check', fingerprint)]).toEqual([0, 0]);
    expect(readFileSync(file, 'utf8')).not.toBe(old);
  });

  it('the key of the repository is replaced when another one is expected, and never by one that is not', () => {
    const [first, second] = [makeKey('first', '2y'), makeKey('second', 'never')];
    publish(first);
    expect([run('fetch', first), run('check', first), run('check', second)]).toEqual([0, 0, 1]);
    expect(run('fetch', second)).toBe(1);
    publish(second);
    expect([run('fetch', second), run('check', second)]).toEqual([0, 0]);
  });

  it('the key of the repository that is there stays, without a failed run, when the renewed one cannot be fetched', () => {
    const fingerprint = makeKey('short', '20d');
    publish(fingerprint);
    expect(run('fetch', fingerprint)).toBe(0);
    rmSync(published);

    utimesSync(file, 0, 0);
    expect([run('fetch', fingerprint), run('check', fingerprint), run('fetch', 'F'.repeat(40))]).toEqual([0, 0, 1]);
    expect(readFileSync(file, 'utf8')).toContain('PUBLIC KEY');
  });
});

describe.skipIf(exporter.missing)(`the exporter of Elasticsearch's metrics ${exporter.reason}`, () => {
  it('the exporter of Elasticsearch starts with flags of the installed version and serves metrics on 9114', async () => {
    const child = spawn('sh', [join(scripts, 'search-exporter.sh'), 'master'], {
      env: { PATH: process.env.PATH, ES_USERNAME: 'elastic', ES_PASSWORD: 'pass"w$rd' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => {
        said += data;
      });
    try {
      const answer = await until(() => fetch('http://127.0.0.1:9114/metrics').then((response) => response.text()));

      expect(answer).toContain('elasticsearch_exporter_build_info');
      expect(said).not.toContain('unknown');
      expect(said).not.toContain('pass"w$rd');
    } finally {
      child.kill();
    }
  }, 120_000);
});

describe("the password of the exporter of Elasticsearch's metrics", () => {
  const scratch = new SearchScratchRoot('search_master');
  afterAll(() => scratch.remove());
  const stub = (name: string, body: string) =>
    writeFileSync(join(scratch.folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  const env = { PATH: `${scratch.folder}:${process.env.PATH}` };
  /** Elasticsearch lets in one password, which curl gets on its standard input. */
  const letIn = (password: string) =>
    stub('curl', `grep -q 'user = "exporter:${password}"' && printf 200 || printf 401`);

  it.each([
    ['current', 'current'],
    ['pending', 'pending'],
    ['previous', 'previous'],
    ['none of them', 'current'],
  ])('the exporter gets the version of its password that lets in: %s', (works, written) => {
    const file = join(scratch.folder, 'exporter.env');
    const versions = 'case "$*" in *PENDING*) echo pending ;; *PREVIOUS*) echo previous ;; *) echo current ;; esac';
    stub('cluster-cli', versions);
    letIn(works);
    const words = [join(scripts, 'exporter-password.sh'), file, join(scratch.folder, 'cluster-cli')];
    expect(spawnSync('sh', [...words, 'write', 'exporter', 'exporter_secret'], { env }).status).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(`ES_USERNAME=exporter\nES_PASSWORD="${written}"\n`);
    expect(spawnSync('sh', [...words, 'check', 'exporter', 'exporter_secret'], { env }).status).toBe(0);
  });

  it('the exporter ends when its password is refused, so that systemd starts it with another one', () => {
    stub('sleep', 'exec /bin/sleep 0.05');
    stub('exporter', '[ "$1" = --help ] && exit\nexec /bin/sleep 600');
    letIn('another');
    const login = {
      ES_USERNAME: 'exporter',
      ES_PASSWORD: 'replaced',
      SEARCH_EXPORTER: join(scratch.folder, 'exporter'),
    };
    const ended = spawnSync('sh', [join(scripts, 'search-exporter.sh'), 'data'], { env: { ...env, ...login } });
    expect(ended.signal).toBe('SIGTERM');
  });
});

describe("the flags of the exporter of Elasticsearch's metrics", () => {
  const scratch = new SearchScratchRoot('search_master');
  afterAll(() => scratch.remove());
  const flags = (kind: 'master' | 'data', help: string, user = 'elastic') => {
    const fake = join(scratch.folder, 'exporter');
    writeFileSync(fake, `#!/bin/sh\n[ "$1" = --help ] && printf '${help}' && exit\necho "$@"\n`, { mode: 0o755 });
    const env = { PATH: process.env.PATH, SEARCH_EXPORTER: fake, ES_USERNAME: user };
    return spawnSync('sh', [join(scripts, 'search-exporter.sh'), kind], { encoding: 'utf8', env }).stdout.trim();
  };
  const own = '--web.listen-address=:9114 --es.uri=http://127.0.0.1:9200 --es.timeout=20s';
  const help =
    '  --es.indices  x\\n --es.indices_settings y --es.shards z --collector.slm\\n a --collector.snapshots b\\n';

  it.each([
    ['of Debian 12', help, '--es.indices --es.shards --collector.slm'],
    [
      'of upstream builds, which write --[no-]',
      help.replaceAll('--', '--[no-]'),
      '--es.indices --es.shards --collector.slm',
    ],
    ['of a version with the older name of the SLM collector', ' --es.indices x --es.slm y', '--es.indices --es.slm'],
    ['of a version that only knows flags with a longer name', '--es.indices_settings x', ''],
  ])(
    'the exporter on a master reads indices, shards and SLM, and no snapshots, with the help %s',
    (_, text, expected) => {
      expect(flags('master', text)).toBe(`${own} ${expected}`.trim());
    },
  );

  it('the exporter of a user of its own leaves out SLM, whose statistics need more than monitoring', () => {
    expect(flags('master', help, 'exporter')).toBe(`${own} --es.indices --es.shards`);
  });

  it('the exporter on a data node reads its own node only', () => {
    expect(flags('data', help)).toBe(own);
  });
});

describe('the volume for data of a search node', () => {
  const scratch = new SearchScratchRoot('search_data');
  afterAll(() => scratch.remove());
  const [bin, labels, fstab, directory] = ['bin', 'labels', 'fstab', 'data'].map((name) =>
    join(scratch.folder, name),
  ) as [string, string, string, string];
  mkdirSync(bin);
  const stub = (name: string, body: string) => writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  /** Disks of a machine: the root's has partitions, the instance's own one has another model. */
  const mount = (empty: readonly string[]) => {
    const disks = ['nvme0n1 disk Amazon Elastic Block Store', 'nvme9n1 disk Amazon EC2 NVMe Instance Storage'];
    const listed = [...disks, ...empty.map((name) => `${name} disk Amazon Elastic Block Store`)].join('\\n');
    stub(
      'lsblk',
      `case $* in *--nodeps*) printf '${listed}\\n' ;; */dev/nvme0n1) printf 'a\\nb\\n' ;; *) echo a ;; esac`,
    );
    stub('blkid', `case $1 in --label) cat '${labels}' 2>/dev/null ;; *) exit 2 ;; esac`);
    stub('mkfs.ext4', `echo "$@" >>'${labels}'`);
    stub('mount', `echo mounted >>'${labels}.mounts'`);
    const env = { PATH: `${bin}:${process.env.PATH}`, FSTAB: fstab };
    return spawnSync('sh', [join(scripts, 'data-volume.sh'), directory], { encoding: 'utf8', env });
  };

  it('a file system is made on the one empty volume only, and mounted by its label at each boot', () => {
    writeFileSync(fstab, 'LABEL=cloudimg-rootfs / ext4 defaults 0 1\n');
    expect(mount([])).toMatchObject({ status: 1, stderr: expect.stringContaining('found: none') });
    expect(mount(['nvme1n1', 'nvme2n1']).status).toBe(1);
    expect(mount(['nvme1n1']).status).toBe(0);
    expect(mount([]).status).toBe(0);

    expect(readFileSync(labels, 'utf8')).toBe('-q -L drover-data /dev/nvme1n1\n');
    expect(readFileSync(fstab, 'utf8').match(/^LABEL=drover-data .* ext4 defaults,nofail 0 2$/gm)).toHaveLength(1);
  });
});

const ext4 = outsideClient('dumpe2fs', 'apt-get install e2fsprogs', { probe: ['-V'] });

describe.skipIf(ext4.missing)(`the file system of a grown volume ${ext4.reason}`, () => {
  const scratch = new SearchScratchRoot('search_data');
  afterAll(() => scratch.remove());

  it('the file system of a volume fills its disk after that has grown, and is not touched again', () => {
    const bin = join(scratch.folder, 'grow-bin');
    const disk = join(scratch.folder, 'disk');
    mkdirSync(bin);
    const stub = (name: string, text: string) =>
      writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    stub('blkid', `echo '${disk}'`);
    stub('blockdev', `stat --format %s '${disk}'`);
    const env = { PATH: `${bin}:${process.env.PATH}:/usr/sbin:/sbin` };
    const sh = (...words: string[]) => spawnSync('sh', words, { encoding: 'utf8', env }).status;
    const script = join(scripts, 'grow-data-volume.sh');
    expect(sh('-c', `truncate --size 1G '${disk}' && mkfs.ext4 -q -L drover-data '${disk}'`)).toBe(0);

    expect(sh(script, 'check')).toBe(0);
    expect(sh('-c', `truncate --size 3G '${disk}'`)).toBe(0);
    expect(sh(script, 'check')).toBe(1);
    expect(sh('-c', `e2fsck -fy '${disk}'`)).toBe(0);
    expect(sh(script)).toBe(0);
    expect(sh(script, 'check')).toBe(0);
  }, 60_000);
});

/** Asks again until there is a response. */
async function until<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 0; attempt < 200; attempt++) {
    try {
      return await ask();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
  return await ask();
}
