import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { outsideClient } from '../../../../cloud/aws/test/outside/outside-client.ts';
import { nodeSecurity } from '../../../../cloud/elasticsearch/test/contract/node-security.ts';
import { puppetTree } from './scratch-root.ts';
import { SearchScratchRoot, searchUser } from './search-scratch-root.ts';

const puppet = outsideClient('puppet', 'apt-get install puppet');
const openssl = outsideClient('openssl', 'apt-get install openssl', { probe: ['version'] });
const asRoot = process.getuid?.() === 0;
const whyNotRoot = asRoot ? '' : ' (skipped: only root may give files to their owners; run the tests as root)';
const hasSystemd = spawnSync('systemd-analyze', ['--version'], { stdio: 'ignore' }).status === 0;

/** The command that cron runs every five minutes on each node, word for word as in the specification. */
const decommissionLine =
  '*/5 * * * * root cluster-cli --quiet cluster decommission-node --only-if-terminating --reason instance_refresh --complete-lifecycle-action --wait-until-complete 172800';
const heapFile = 'etc/elasticsearch/jvm.options.d/heap.options';
const reapLine = '*/5 * * * * root cluster-cli --quiet cluster reap';

describe.skipIf(puppet.missing || openssl.missing)(`puppet on a search node ${puppet.reason}`, () => {
  describe.skipIf(!asRoot)(`applied to a scratch root as a master${whyNotRoot}`, () => {
    let scratch: SearchScratchRoot;
    let first: ReturnType<SearchScratchRoot['apply']>;
    beforeAll(() => {
      scratch = new SearchScratchRoot('search_master');
      first = scratch.apply(puppet.path);
    }, 120_000);
    afterAll(() => scratch.remove());
    const file = (path: string) => statSync(join(scratch.root, path));
    const settings = () => parse(scratch.read('etc/elasticsearch/elasticsearch.yml')) as Record<string, unknown>;

    it('changes what is missing, and nothing in a second run', () => {
      const second = scratch.apply(puppet.path);

      expect(first.status, first.said).toBe(2);
      expect(second.status, second.said).toBe(0);
    });

    it.each([
      ['cluster.name', 'search'],
      ['node.name', 'ip-10-0-1-17'],
      ['node.attr.zone', 'eu-west-1a'],
      ['network.host', '_ec2_'],
      ['http.bind_host', ['_ec2_', '127.0.0.1', '127.0.1.1']],
      ['http.publish_host', '_ec2_'],
      ['http.port', 9200],
      ['transport.port', 9300],
      ['discovery.seed_providers', 'ec2'],
      ['discovery.ec2.tag.cluster', 'search'],
      ['discovery.ec2.tag.environment', 'test'],
      ['discovery.ec2.endpoint', undefined],
      ['s3.client.default.region', 'eu-west-1'],
      ['s3.client.default.endpoint', undefined],
      ['cluster.routing.allocation.awareness.attributes', 'zone'],
      ['cluster.initial_master_nodes', ['ip-10-0-1-17', 'ip-10-0-2-23', 'ip-10-0-3-5']],
      ['bootstrap.memory_lock', true],
      ['xpack.security.enabled', true],
      ['xpack.security.transport.ssl.enabled', true],
      ['xpack.security.transport.ssl.verification_mode', 'full'],
      ['xpack.security.transport.ssl.certificate_authorities', ['tls/ca.crt']],
      ['xpack.security.http.ssl.enabled', false],
      ['xpack.security.audit.enabled', true],
      ['xpack.security.authc.anonymous.roles', ['anonymous_monitor']],
      ['xpack.security.authc.anonymous.authz_exception', false],
    ])('sets %s', (name, value) => {
      expect(settings()[name]).toEqual(value);
    });

    // AWS SDK v2 (Elasticsearch 8.19 and later) fails on an endpoint without a scheme, and discovery then finds no node.
    it('writes no endpoint that is not a URL with a scheme into elasticsearch.yml', () => {
      const endpoints = Object.entries(settings()).filter(([name]) => name.endsWith('.endpoint'));

      expect(endpoints.filter(([, value]) => !/^https?:\/\/[^/]/.test(String(value)))).toEqual([]);
    });

    it('gives half of the memory to the heap', () => {
      expect(scratch.read(heapFile)).toMatch(/^-Xms1917m\n-Xmx1917m$/m);
    });

    it('keeps a node that an operator has stopped from being started again, by Puppet or by a reboot', () => {
      expect(scratch.read('etc/systemd/system/elasticsearch.service.d/drover.conf')).toContain(
        '[Unit]\n# An operator has stopped this node for good: neither Puppet nor a reboot starts it again.\nConditionPathExists=!/var/lib/drover/stopped\n',
      );
    });

    it('defines the role of callers without a password: monitoring, nothing else', () => {
      // The very role that a real server was asked about.
      expect(parse(scratch.read('etc/elasticsearch/roles.yml'))).toEqual(nodeSecurity(0).roles);
    });

    it('makes a certificate that the authority has signed, for ten years, with host name and address', () => {
      const validity = scratch.openssl('x509', '-in', 'node.crt', '-noout', '-dates').match(/=(.*)/g)!;
      const [from, to] = validity.map((text) => Date.parse(text.slice(1)));

      expect(scratch.openssl('verify', '-CAfile', join(scratch.folder, 'first.crt'), 'node.crt')).toBe(
        'node.crt: OK\n',
      );
      expect((to! - from!) / 86_400_000).toBe(3650);
      expect(scratch.openssl('x509', '-in', 'node.crt', '-noout', '-ext', 'subjectAltName')).toContain(
        'DNS:ip-10-0-1-17, IP Address:10.0.1.17',
      );
      expect(scratch.openssl('x509', '-in', 'node.crt', '-noout', '-ext', 'extendedKeyUsage')).toContain(
        'TLS Web Server Authentication, TLS Web Client Authentication',
      );
      expect(scratch.openssl('x509', '-in', 'node.crt', '-noout', '-pubkey')).toBe(
        scratch.openssl('pkey', '-in', 'node.key', '-pubout'),
      );
    });

    it('makes another certificate when it should be valid for fewer days, and no other one after that', () => {
      const daysLeft = () =>
        (Date.parse(scratch.openssl('x509', '-in', 'node.crt', '-noout', '-enddate').slice(9)) - Date.now()) /
        86_400_000;
      const script = (days: number, act: string) => {
        const directory = join(scratch.root, 'etc/elasticsearch/tls');
        const command = join(scratch.root, 'opt/drover/bin/cluster-cli');
        const words = [directory, 'ip-10-0-1-17', '10.0.1.17', searchUser, searchUser, command, String(days), act];
        return spawnSync(join(scratch.root, 'opt/drover/lib/node-certificate'), words).status;
      };
      const make = (days: number) => script(days, 'check') !== 0 && script(days, 'make') === 0;

      const made = [3650, 90, 90].map((days) => ({ again: make(days), days: Math.round(daysLeft()) }));
      expect(made).toEqual([
        { again: false, days: 3650 },
        { again: true, days: 90 },
        { again: false, days: 90 },
      ]);
    });

    it('keeps the files of the certificate to Elasticsearch, and the key of the authority nowhere', () => {
      const uid = Number(spawnSync('id', ['-u', searchUser], { encoding: 'utf8' }).stdout);
      const names = readdirSync(join(scratch.root, 'etc/elasticsearch/tls')).sort();
      const authorityKey = readFileSync(join(scratch.secrets, 'ca_key_secret'), 'utf8').split('\n')[2]!;

      expect(names).toEqual(['ca.crt', 'node.crt', 'node.key']);
      for (const name of names) {
        const { mode, uid: owner } = file(`etc/elasticsearch/tls/${name}`);
        expect([name, (mode & 0o777).toString(8), owner]).toEqual([name, '600', uid]);
      }
      for (const path of filesBelow(scratch.root)) expect(readFileSync(path, 'utf8')).not.toContain(authorityKey);
    });

    it('stores the bootstrap password through a pipe, and drops the one that the package made', () => {
      const calls = readFileSync(scratch.calls, 'utf8');

      expect(readFileSync(join(scratch.folder, 'keystore/bootstrap.password'), 'utf8')).toBe('pass"w$rd');
      expect(readdirSync(join(scratch.folder, 'keystore')).sort()).toEqual(['bootstrap.password', 'keystore.seed']);
      expect(calls).not.toContain('pass"w');
      expect(first.said).not.toContain('pass"w');
    });

    it('installs the plugin of the installed version once', () => {
      const calls = readFileSync(scratch.calls, 'utf8');
      expect(calls.match(/elasticsearch-plugin install --batch discovery-ec2/g)).toHaveLength(1);
    });

    it('lets systemd lock memory', () => {
      expect(scratch.read('etc/systemd/system/elasticsearch.service.d/drover.conf')).toContain('LimitMEMLOCK=infinity');
    });

    it('cron on a search node drains and clears up every five minutes, as specified', () => {
      const lines = scratch.read('etc/cron.d/drover-search').split('\n');

      expect(lines).toContain(decommissionLine);
      expect(lines).toContain(reapLine);
      expect(lines.find((line) => line.startsWith('PATH='))).toContain('/usr/local/bin');
    });

    it('puts cluster-cli on the path', () => {
      expect(readlinkSync(join(scratch.root, 'usr/local/bin/cluster-cli'))).toBe('/opt/drover/bin/cluster-cli');
    });

    it('gives the exporter its password in a file that only root reads', () => {
      const { mode, uid } = file('etc/drover/search-exporter.env');

      expect([(mode & 0o777).toString(8), uid]).toEqual(['600', userInfo().uid]);
      expect(scratch.read('etc/drover/search-exporter.env')).toBe('ES_USERNAME=elastic\nES_PASSWORD="pass\\"w\\$rd"\n');
      const unit = scratch.read('etc/systemd/system/prometheus-elasticsearch-exporter.service.d/drover.conf');
      expect(unit.split('\n')).toEqual(
        expect.arrayContaining([
          'EnvironmentFile=/etc/drover/search-exporter.env',
          'ExecStart=',
          'ExecStart=/opt/drover/lib/search-exporter master',
        ]),
      );
      expect(scratch.read('etc/default/prometheus-node-exporter')).toContain('--web.listen-address=:9100');
    });

    it('commissions the node after the boot run, and then settles the cluster at once and by a timer', () => {
      const unit = (name: string) => scratch.read(`etc/systemd/system/${name}`).split('\n');

      expect(unit('drover-commission.service')).toEqual(
        expect.arrayContaining([
          'After=elasticsearch.service network-online.target',
          'Type=oneshot',
          'ExecStart=/usr/local/bin/cluster-cli cluster commission-node --complete-lifecycle-action launching',
        ]),
      );
      expect(unit('drover-commission.service').filter((line) => line.startsWith('ExecStartPost='))).toEqual([
        'ExecStartPost=/usr/bin/touch /var/lib/drover/commissioned',
        'ExecStartPost=-/usr/bin/systemctl start --no-block drover-settle.service',
      ]);
      expect(unit('drover-settle.service')).toEqual(
        expect.arrayContaining([
          'ConditionPathExists=/var/lib/drover/commissioned',
          'ExecStart=/usr/local/bin/cluster-cli --quiet node settle',
        ]),
      );
      expect(unit('drover-settle.timer')).toContain('OnUnitInactiveSec=10min');
    });

    it.skipIf(!hasSystemd)(
      `puppet on a search node writes units that systemd understands${hasSystemd ? '' : ' (skipped: no systemd-analyze)'}`,
      () => {
        const folder = join(scratch.root, 'etc/systemd/system');
        const units = readdirSync(folder).filter((name) => /\.(service|timer)$/.test(name));

        const { stderr } = spawnSync(
          'systemd-analyze',
          ['verify', '--man=no', ...units.map((name) => join(folder, name))],
          {
            encoding: 'utf8',
          },
        );

        const faults = stderr
          .split('\n')
          .filter((line) => line !== '' && !/\/(opt|usr)\/.* is not executable/.test(line));
        expect(faults.filter((line) => units.some((name) => line.includes(name)))).toEqual([]);
      },
    );

    describe('when the world has changed', () => {
      let before: string;
      let second: string;
      let changed: ReturnType<SearchScratchRoot['apply']>;
      beforeAll(() => {
        before = scratch.read('etc/elasticsearch/tls/node.crt');
        scratch.searchFacts('search_master', { search_node: { initial_masters: null } });
        writeFileSync(join(scratch.secrets, 'elastic_secret'), 'the-next-one\n');
        second = scratch.makeAuthority('second', [readFileSync(join(scratch.folder, 'first.crt'), 'utf8')]);
        changed = scratch.apply(puppet.path);
      }, 120_000);

      it('drops the list of initial masters once the cluster has formed, and touches no other file for it', () => {
        expect(changed.status, changed.said).toBe(2);
        expect(changed.said.match(/content changed/g)).toHaveLength(1);
        expect(settings()['cluster.initial_master_nodes']).toBeUndefined();
        expect(settings()['node.name']).toBe('ip-10-0-1-17');
      });

      it('writes the password of the exporter again', () => {
        expect(scratch.read('etc/drover/search-exporter.env')).toContain('ES_PASSWORD="the-next-one"');
        expect(changed.said).not.toContain('the-next-one');
      });

      it('makes a new certificate by the new authority, and trusts all that the secret holds', () => {
        expect(scratch.read('etc/elasticsearch/tls/node.crt')).not.toBe(before);
        expect(scratch.openssl('verify', '-CAfile', join(scratch.folder, 'second.crt'), 'node.crt')).toContain('OK');
        expect(scratch.read('etc/elasticsearch/tls/ca.crt').startsWith(second)).toBe(true);
        expect(scratch.read('etc/elasticsearch/tls/ca.crt').match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
      });

      it('changes nothing more afterwards', () => {
        const { status, said } = scratch.apply(puppet.path);

        expect(status, said).toBe(0);
      }, 120_000);
    });
  });

  it.skipIf(!asRoot)(
    `writes for a data node what only masters have not, and a heap of at most 30 GiB${whyNotRoot}`,
    () => {
      const scratch = new SearchScratchRoot('search_data', {
        elasticsearch: { memory_lock: false },
        search_node: { initial_masters: null, memory_mb: 131_072 },
      });

      expect(scratch.apply(puppet.path).status).toBe(2);
      expect(scratch.apply(puppet.path).status).toBe(0);

      const settings = parse(scratch.read('etc/elasticsearch/elasticsearch.yml')) as Record<string, unknown>;
      expect(settings['node.roles']).toContain('data');
      expect(settings['node.roles']).not.toContain('master');
      expect(settings['bootstrap.memory_lock']).toBe(false);
      expect(scratch.read(heapFile)).toContain('-Xms30720m\n-Xmx30720m\n');
      expect(scratch.read('etc/systemd/system/prometheus-elasticsearch-exporter.service.d/drover.conf')).toContain(
        'ExecStart=/opt/drover/lib/search-exporter data\n',
      );
      expect(settings['cluster.initial_master_nodes']).toBeUndefined();
      const cron = scratch.read('etc/cron.d/drover-search').split('\n');
      expect(cron).toContain(decommissionLine);
      expect(cron).not.toContain(reapLine);
      expect(scratch.read('etc/systemd/system/elasticsearch.service.d/drover.conf')).not.toContain('LimitMEMLOCK');
      expect(readdirSync(join(scratch.root, 'etc/systemd/system'))).not.toContain('drover-settle.timer');
      expect(scratch.read('etc/systemd/system/drover-commission.service')).not.toContain('drover-settle');
      scratch.remove();
    },
    120_000,
  );

  it.skipIf(!asRoot)(
    `gives half of any memory to the heap with heap_max_gib none${whyNotRoot}`,
    () => {
      const scratch = new SearchScratchRoot('search_data', {
        elasticsearch: { heap_max_gib: 'none' },
        search_node: { initial_masters: null, memory_mb: 131_072 },
      });

      scratch.apply(puppet.path);

      expect(scratch.read(heapFile)).toContain('-Xms65536m\n-Xmx65536m\n');
      scratch.remove();
    },
    120_000,
  );

  it.skipIf(!asRoot)(
    `Puppet writes the zones of forced awareness of a master that has them as a fact${whyNotRoot}`,
    () => {
      const scratch = new SearchScratchRoot('search_master', {
        search_node: { initial_masters: null, forced_zones: ['eu-west-1a', 'eu-west-1b'] },
      });

      scratch.apply(puppet.path);

      const settings = parse(scratch.read('etc/elasticsearch/elasticsearch.yml'));
      expect(settings['cluster.routing.allocation.awareness.force.zone.values']).toEqual(['eu-west-1a', 'eu-west-1b']);
      scratch.remove();
    },
    120_000,
  );

  it.skipIf(!asRoot)(
    `gives callers without a password no role with anonymous_monitoring false, and keeps the role for requests of other nodes${whyNotRoot}`,
    () => {
      const scratch = new SearchScratchRoot('search_data', {
        elasticsearch: { anonymous_monitoring: false },
        search_node: { initial_masters: null },
      });

      scratch.apply(puppet.path);

      const settings = parse(scratch.read('etc/elasticsearch/elasticsearch.yml'));
      expect(settings['xpack.security.authc.anonymous.roles']).toEqual([]);
      expect(parse(scratch.read('etc/elasticsearch/roles.yml'))).toEqual(nodeSecurity(0).roles);
      scratch.remove();
    },
    120_000,
  );

  it.skipIf(!asRoot)(
    `writes settings, plugins of a mirror, keystore entries and an own user of the exporter, and nothing in a second run${whyNotRoot}`,
    () => {
      const scratch = new SearchScratchRoot('search_data', {
        elasticsearch: {
          settings: { 'action.auto_create_index': false, 'indices.breaker.total.limit': '80%', 'a.list': ['x', 'y'] },
          plugins: ['analysis-icu'],
          keystore_secrets: { 'azure.client.default.key': 'arn:azure' },
          mirror: 'https://mirror.example.com/elastic',
          exporter_user: 'exporter',
        },
        search_node: { initial_masters: null },
      });
      writeFileSync(join(scratch.secrets, 'azure.client.default.key'), 'of-azure\n');
      writeFileSync(join(scratch.secrets, 'exporter_secret'), 'of-the-exporter\n');

      const first = scratch.apply(puppet.path);
      expect(first.status, first.said).toBe(2);
      expect(scratch.apply(puppet.path).status).toBe(0);

      expect(parse(scratch.read('etc/elasticsearch/elasticsearch.yml'))).toMatchObject({
        'cluster.name': 'search',
        'action.auto_create_index': false,
        'indices.breaker.total.limit': '80%',
        'a.list': ['x', 'y'],
      });
      expect(readFileSync(scratch.calls, 'utf8')).toContain(
        'elasticsearch-plugin install --batch https://mirror.example.com/elastic/downloads/elasticsearch-plugins/analysis-icu/analysis-icu-8.19.5.zip',
      );
      expect(readFileSync(join(scratch.folder, 'keystore/azure.client.default.key'), 'utf8')).toBe('of-azure');
      expect(scratch.read('etc/drover/search-exporter.env')).toBe(
        'ES_USERNAME=exporter\nES_PASSWORD="of-the-exporter"\n',
      );
      expect(parse(scratch.read('etc/elasticsearch/roles.yml'))).toMatchObject({
        drover_exporter: { cluster: ['monitor'], indices: [{ names: ['*'], privileges: ['monitor'] }] },
      });
      scratch.remove();
    },
    120_000,
  );

  it.skipIf(!asRoot)(
    `fails without a certificate when the key is not that of the authority${whyNotRoot}`,
    () => {
      const scratch = new SearchScratchRoot('search_master');
      const other = new SearchScratchRoot('search_master');
      writeFileSync(join(scratch.secrets, 'ca_key_secret'), readFileSync(join(other.secrets, 'ca_key_secret')));

      const { status, said } = scratch.apply(puppet.path);

      expect([4, 6]).toContain(status);
      expect(said).toContain('make the certificate of the node');
      expect(readdirSync(join(scratch.root, 'etc/elasticsearch/tls'))).toEqual([]);
      scratch.remove();
      other.remove();
    },
    120_000,
  );

  it
    .skipIf(!asRoot)
    .each(['actions_runner', 'search_master', 'search_data', 'search_data with a data volume'] as const)(
    `the catalogue of a search node has an order in which a real instance can apply everything, as %s${whyNotRoot}`,
    (role) => {
      const scratch = new SearchScratchRoot('search_master');
      if (role === 'actions_runner') scratch.writeFacts({});
      else if (role === 'search_master' || role === 'search_data') scratch.searchFacts(role);
      else scratch.searchFacts('search_data', { elasticsearch: { data_volume: true } });
      const options = scratch.puppetOptions(join(puppetTree, 'hiera.yaml'));

      const { stdout, stderr } = spawnSync(
        puppet.path,
        ['apply', '--noop', ...options, join(puppetTree, 'manifests/site.pp')],
        { encoding: 'utf8' },
      );

      expect(`${stdout}${stderr}`).not.toMatch(/dependency cycle|Evaluation Error/);
      expect(`${stdout}${stderr}`).toContain('Applied catalog');
      scratch.remove();
    },
    120_000,
  );
});

const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
