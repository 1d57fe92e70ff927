import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import type { MachineView, ProcessContext } from '@drover/cloud-machines';
import { growFileSystem, growVolume, mountDataVolume, mountVolume } from '../data/data-volume.ts';
import { noPackagesFile } from '../installed-package.ts';
import { certificatesChange } from '../transport-tls.ts';
import type { NodeFacts } from './catalog.ts';
import { BootFailure, type SearchMachineHost } from './machine-host.ts';
import { keystoreFile, pluginFile, pluginFolder } from './node-settings.ts';
import { startUnit } from './units.ts';

type Effect = (host: SearchMachineHost, context: ProcessContext, facts: NodeFacts) => Promise<void>;

const tls = '/etc/elasticsearch/tls';

/** Effects of the catalog's commands, by their titles. A title that is not here is refused: it is a new effect. */
const effects: Readonly<Record<string, Effect>> = {
  [mountVolume]: async (host, { machine }) => mountDataVolume(host, machine),
  [growVolume]: async (host, { machine }) => growFileSystem(host, machine),
  'fetch the key of the repository': async () => {},
  'install the plugin discovery-ec2': async (_host, { machine }, facts) => installPlugins(machine, facts),
  'remove other plugins': async (_host, { machine }, facts) => removePlugins(machine, facts),
  'store the bootstrap password': async (_host, { machine }) => {
    if (machine.files.has(keystoreFile)) return;
    machine.files.set(keystoreFile, JSON.stringify({ 'bootstrap.password': await secret(machine, 'elastic_secret') }));
  },
  'make the certificate of the node': async (_host, { machine, clock }, facts) => {
    await makeCertificate(machine, facts, clock.now());
  },
  'write the password of the exporter': async (_host, { machine }) => {
    const password = await secret(machine, 'elastic_secret');
    machine.files.set('/etc/drover/search-exporter.env', `ES_USERNAME=elastic\nES_PASSWORD="${password}"\n`);
  },
  'begin to commission the node': async (host, { machine }) => {
    void startUnit(host, machine, 'drover-commission.service');
  },
};

export async function execEffects(
  host: SearchMachineHost,
  context: ProcessContext,
  title: string,
  facts: NodeFacts,
): Promise<void> {
  const effect = effects[title];
  if (effect === undefined) throw new BootFailure(`the effect of "${title}" is not modelled`);
  await effect(host, context, facts);
}

const wantedPlugins = ({ elasticsearch }: NodeFacts) => [
  'discovery-ec2',
  ...((elasticsearch.plugins as readonly string[] | undefined) ?? []),
];

/** As install-plugin.sh does it for each: one of another version is removed before the right one is fetched. */
function installPlugins({ files }: MachineView, facts: NodeFacts): void {
  const descriptor = `elasticsearch.version=${facts.elasticsearch.version}\n`;
  for (const path of wantedPlugins(facts).map(pluginFile)) {
    if (files.get(path) === descriptor) continue;
    files.delete(path);
    if (files.has(noPackagesFile)) throw new BootFailure('puppet apply failed with exit code 4');
    files.set(path, descriptor);
  }
}

/** As remove-plugins.sh does it. */
function removePlugins({ files }: MachineView, facts: NodeFacts): void {
  const wanted = wantedPlugins(facts).map(pluginFile);
  for (const path of [...files.keys()]) if (path.startsWith(pluginFolder) && !wanted.includes(path)) files.delete(path);
}

/** A secret as scripts get it: by the real command, with the instance's role. */
async function secret(machine: MachineView, name: string): Promise<string> {
  const { exitCode, stdout, stderr } = await machine.runCommand(`cluster-cli node secret ${name}`);
  if (exitCode !== 0) throw new BootFailure(`cluster-cli node secret ${name}: ${stderr.trim()}`);
  return stdout.trimEnd();
}

/**
 * The names of issuer and subject stand for the certificate, and the authority's own below it for its dates; making and
 * checking real ones is tested with the real openssl.
 */
async function makeCertificate(machine: MachineView, { search_node }: NodeFacts, now: number): Promise<void> {
  const authority = await secret(machine, 'ca_certificate_secret');
  const signer = createHash('sha256').update(authority).digest('hex');
  const certificate = `signed by ${signer}\nDNS:${search_node.host_name}\nIP:${search_node.private_ip}\n${authority}\n`;
  if (machine.files.get(`${tls}/ca.crt`) === authority && machine.files.get(`${tls}/node.crt`) === certificate) return;
  if (!new X509Certificate(authority).checkPrivateKey(createPrivateKey(await secret(machine, 'ca_key_secret'))))
    throw new BootFailure('CA certificate and CA private key do not match');
  certificatesChange(machine, now);
  machine.files.set(`${tls}/ca.crt`, authority);
  machine.files.set(`${tls}/node.crt`, certificate);
}
