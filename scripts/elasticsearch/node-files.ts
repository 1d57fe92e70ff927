import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type NodeSecurity, nodeSecurity } from '../../cloud/elasticsearch/test/contract/node-security.ts';
import type { Distribution } from './distribution.ts';

/** One node to boot: its place, its ports. */
export interface NodePlan {
  readonly name: string;
  readonly zone: string;
  /** @default all */
  readonly roles?: readonly string[] | undefined;
  /** Another address of this machine than the others have. @default one for all */
  readonly host?: string | undefined;
  /** @default that of the contract suite, by the number of the node */
  readonly security?: NodeSecurity | undefined;
  /** @default small enough for three on a laptop, large enough for the suite */
  readonly heap?: string | undefined;
  readonly folder: string;
  readonly httpPort: number;
  readonly transportPort: number;
}

export interface ClusterPlan {
  /** The programs of each node, by its name. */
  readonly installed: Map<string, Distribution>;
  readonly repositories: string;
  readonly nodes: readonly NodePlan[];
  /** Of the user `elastic`. */
  readonly password: string;
}

export const loopback = '127.0.0.1';

/** Less compilation: the nodes live for minutes, and start at the same time on few cores. */
export const quick = '-XX:TieredStopAtLevel=1';

/** Writes what a node reads when it starts. */
export function writeNodeFiles(plan: ClusterPlan, node: NodePlan): void {
  const config = join(node.folder, 'config');
  for (const folder of ['data', 'logs', 'tmp']) mkdirSync(join(node.folder, folder), { recursive: true });
  cpSync(join(plan.installed.get(node.name)!.home, 'config'), config, { recursive: true });
  const security = node.security ?? nodeSecurity(plan.nodes.findIndex(({ name }) => name === node.name));
  const { heap = '512m' } = node;
  writeFileSync(join(config, 'elasticsearch.yml'), settings(plan, node, security));
  writeFileSync(join(config, 'roles.yml'), rolesFile(security.roles));
  mkdirSync(join(config, 'jvm.options.d'), { recursive: true });
  writeFileSync(join(config, 'jvm.options.d', 'contract.options'), `-Xms${heap}\n-Xmx${heap}\n${quick}\n`);
  const jvmOptions = join(config, 'jvm.options');
  // No one reads the collector's log, and it would be written into the distribution.
  if (existsSync(jvmOptions))
    writeFileSync(jvmOptions, readFileSync(jvmOptions, 'utf8').replaceAll(/^(.*-Xlog:gc)/gm, '# $1'));
}

/** A role begins with a line of its own; what follows is JSON, which is YAML. */
const rolesFile = (roles: NodeSecurity['roles']): string =>
  Object.entries(roles)
    .map(([name, role]) => `${name}:\n  ${JSON.stringify(role)}\n`)
    .join('');

/** One keystore serves all nodes: each call of the keystore command costs a start of Java. */
export function copyKeystore(from: NodePlan, to: NodePlan): void {
  const keystore = (node: NodePlan) => join(node.folder, 'config', 'elasticsearch.keystore');
  copyFileSync(keystore(from), keystore(to));
}

const isMaster = ({ roles }: NodePlan) => roles === undefined || roles.includes('master');

/** On loopback alone the checks of a production start are warnings, and TLS between the nodes is not asked for. */
function settings(plan: ClusterPlan, node: NodePlan, { anonymous }: NodeSecurity): string {
  const quoted = (values: readonly string[]) => JSON.stringify(values);
  return `${[
    'cluster.name: held-against',
    `node.name: ${node.name}`,
    `node.attr.zone: ${node.zone}`,
    ...(node.roles === undefined ? [] : [`node.roles: ${quoted(node.roles)}`]),
    `path.data: ${join(node.folder, 'data')}`,
    `path.logs: ${join(node.folder, 'logs')}`,
    `path.repo: ${quoted([plan.repositories])}`,
    `network.host: ${node.host ?? loopback}`,
    `http.port: ${node.httpPort}`,
    `transport.port: ${node.transportPort}`,
    `discovery.seed_hosts: ${quoted(plan.nodes.map(({ host, transportPort }) => `${host ?? loopback}:${transportPort}`))}`,
    `cluster.initial_master_nodes: ${quoted(plan.nodes.filter(isMaster).map(({ name }) => name))}`,
    'xpack.security.enabled: true',
    'xpack.security.enrollment.enabled: false',
    'xpack.security.transport.ssl.enabled: false',
    'xpack.security.http.ssl.enabled: false',
    ...(anonymous === undefined
      ? []
      : [
          `xpack.security.authc.anonymous.username: ${anonymous.username}`,
          `xpack.security.authc.anonymous.roles: ${quoted(anonymous.roles)}`,
          `xpack.security.authc.anonymous.authz_exception: ${anonymous.authzException}`,
        ]),
  ].join('\n')}\n`;
}
