import type { RoleDescriptor } from '@drover/cloud-elasticsearch';
import type { MachineView } from '@drover/cloud-machines';
import { parse } from 'yaml';
import { installedVersion } from '../installed-package.ts';
import { BootFailure } from './machine-host.ts';

/** Flat lines of `elasticsearch.yml`. */
export type Settings = Readonly<Record<string, unknown>>;

const folder = '/etc/elasticsearch';
/** The files that `elasticsearch-keystore` and `elasticsearch-plugin` write. */
export const keystoreFile = `${folder}/elasticsearch.keystore`;
export const pluginFolder = '/usr/share/elasticsearch/plugins/';
export const pluginFile = (name: string): string => `${pluginFolder}${name}/plugin-descriptor.properties`;
const ec2Plugin = pluginFile('discovery-ec2');

/** Everything that Elasticsearch reads from its configuration folder when it starts. */
export interface NodeSettings {
  readonly settings: Settings;
  readonly heapMb: number;
  readonly roles: Readonly<Record<string, RoleDescriptor>>;
  readonly bootstrapPassword: string | undefined;
  /** Of the package; undefined when none was installed. */
  readonly version: string | undefined;
}

export function readNodeSettings(machine: Pick<MachineView, 'files'>): NodeSettings {
  const { files } = machine;
  const settings = parse(required(files, `${folder}/elasticsearch.yml`)) as Settings;
  const heap = /^-Xmx(\d+)m$/m.exec(required(files, `${folder}/jvm.options.d/heap.options`))?.[1];
  if (heap === undefined) throw new BootFailure('heap.options sets no heap');
  if (settings['network.host'] === '_ec2_' && !files.has(ec2Plugin))
    throw new BootFailure('_ec2_ cannot be resolved: the plugin discovery-ec2 is not installed');
  const version = installedVersion(machine);
  checkPlugin(files.get(ec2Plugin), version);
  if (settings['xpack.security.transport.ssl.enabled'] === true)
    for (const name of ['certificate', 'certificate_authorities'])
      required(files, `${folder}/${[settings[`xpack.security.transport.ssl.${name}`]].flat()[0]}`);
  const keystore = JSON.parse(files.get(keystoreFile) ?? '{}') as Record<string, string>;
  return {
    settings,
    heapMb: Number(heap),
    roles: parse(files.get(`${folder}/roles.yml`) ?? '{}') as NodeSettings['roles'],
    bootstrapPassword: keystore['bootstrap.password'],
    version,
  };
}

/** Elasticsearch does not start with a plugin that was made for another version of it ("Manage plugins"). */
function checkPlugin(descriptor: string | undefined, version: string | undefined): void {
  const built = /^elasticsearch\.version=(.+)$/m.exec(descriptor ?? '')?.[1];
  if (built !== undefined && version !== undefined && built !== version)
    throw new BootFailure(
      `Plugin [discovery-ec2] was built for Elasticsearch version ${built} but version ${version} is running`,
    );
}

function required(files: ReadonlyMap<string, string>, path: string): string {
  const text = files.get(path);
  if (text === undefined) throw new BootFailure(`${path} does not exist`);
  return text;
}
