import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ScratchRoot } from './scratch-root.ts';

/** The user of Elasticsearch: an account that every Debian has, and not the one that applies the manifests. */
export const searchUser = 'daemon';

export const exampleFacts = {
  drover: { region: 'eu-west-1', environment: 'test' },
  elasticsearch: {
    cluster_name: 'search',
    environment: 'test',
    version: '8.19.5',
    memory_lock: true,
    heap_max_gib: 30 as number | 'none',
    master_count: 3,
    elastic_secret: 'arn:elastic',
    kibana_system_secret: 'arn:kibana',
    ca_certificate_secret: 'arn:ca',
    ca_key_secret: 'arn:key',
    snapshots_bucket: 'snapshots',
    state_bucket: 'state',
    master_url: 'https://search.example.org',
    settings: undefined as Readonly<Record<string, unknown>> | undefined,
    plugins: undefined as readonly string[] | undefined,
    keystore_secrets: undefined as Readonly<Record<string, string>> | undefined,
    mirror: undefined as string | undefined,
    data_volume: undefined as boolean | undefined,
    exporter_user: undefined as string | undefined,
    anonymous_monitoring: undefined as boolean | undefined,
  },
  search_node: {
    instance_id: 'i-0123456789abcdef0',
    zone: 'eu-west-1a',
    private_ip: '10.0.1.17',
    host_name: 'ip-10-0-1-17',
    memory_mb: 3835,
    initial_masters: ['ip-10-0-1-17', 'ip-10-0-2-23', 'ip-10-0-3-5'] as string[] | null,
    forced_zones: undefined as readonly string[] | undefined,
  },
};

type Facts = { [Root in keyof typeof exampleFacts]?: Partial<(typeof exampleFacts)[Root]> };

/** A scratch folder for a search node, with stand-ins for the programs that Puppet calls on a real one. */
export class SearchScratchRoot extends ScratchRoot {
  readonly secrets = join(this.folder, 'secrets');
  /** Everything that a stand-in was asked, a line each. */
  readonly calls = join(this.folder, 'calls');

  constructor(role: 'search_master' | 'search_data', change: Facts = {}) {
    super();
    const folders = ['etc/elasticsearch', 'etc/default', 'etc/cron.d', 'opt/drover/bin', 'usr/share/elasticsearch/bin'];
    for (const path of folders) mkdirSync(join(this.root, path), { recursive: true });
    mkdirSync(this.secrets);
    writeFileSync(this.calls, '');
    this.#standIns();
    this.makeAuthority('first');
    writeFileSync(join(this.secrets, 'elastic_secret'), 'pass"w$rd\n');
    this.searchFacts(role, change);
    this.writeData({ 'drover_search::user': searchUser, 'drover_search::group': searchUser });
  }

  searchFacts(role: 'search_master' | 'search_data', change: Facts = {}): void {
    const drover = { ...exampleFacts.drover, role, ...change.drover };
    const elasticsearch = { ...exampleFacts.elasticsearch, ...change.elasticsearch };
    const search_node = { ...exampleFacts.search_node, ...change.search_node };
    writeFileSync(this.facts, JSON.stringify({ drover, elasticsearch }));
    writeFileSync(join(this.folder, 'facts/search_node.json'), JSON.stringify({ search_node }));
  }

  /** A new authority in the secrets; `trusted` keeps others beside it. */
  makeAuthority(name: string, trusted: readonly string[] = []): string {
    const [key, certificate] = [join(this.secrets, 'ca_key_secret'), join(this.folder, `${name}.crt`)];
    const args = [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      key,
      '-out',
      certificate,
      '-days',
      '7000',
    ];
    execFileSync('openssl', [...args, '-subj', `/CN=${name}`], { stdio: 'ignore' });
    const text = readFileSync(certificate, 'utf8');
    writeFileSync(join(this.secrets, 'ca_certificate_secret'), [text, ...trusted].join(''));
    return text;
  }

  openssl(...args: string[]): string {
    return execFileSync('openssl', args, { encoding: 'utf8', cwd: join(this.root, 'etc/elasticsearch/tls') });
  }

  #standIns(): void {
    const program = (path: string, body: string) =>
      writeFileSync(join(this.root, path), `#!/bin/sh\necho "$0 $*" >>'${this.calls}'\n${body}`, { mode: 0o755 });
    const home = join(this.root, 'usr/share/elasticsearch');
    program('opt/drover/bin/cluster-cli', `[ "$1 $2" = "node secret" ] && exec cat '${this.secrets}'/"$3"\nexit 1\n`);
    program(
      'usr/share/elasticsearch/bin/elasticsearch-plugin',
      `[ "$1 $2" = "install --batch" ] || exit 1
name=$(basename "$3" -8.19.5.zip)
mkdir -p '${home}/plugins/'"$name"
echo elasticsearch.version=8.19.5 >'${home}/plugins/'"$name/plugin-descriptor.properties"\n`,
    );
    program(
      'usr/share/elasticsearch/bin/elasticsearch-keystore',
      `keystore='${this.folder}/keystore'
case $1 in
create) mkdir "$keystore" && touch "$keystore/keystore.seed" "$keystore/autoconfiguration.password_hash" "$keystore/xpack.security.http.ssl.keystore.secure_password" ;;
list) ls "$keystore" ;;
remove) shift && [ ! -e "$keystore.removed" ] && touch "$keystore.removed" && cd "$keystore" && rm -- "$@" ;;
show) cat "$keystore/$2" ;;
add) [ "$2 $3" = "--stdin --force" ] && cat >"$keystore/$4" ;;
*) exit 1 ;;
esac\n`,
    );
    execFileSync(join(home, 'bin/elasticsearch-keystore'), ['create']);
  }
}
