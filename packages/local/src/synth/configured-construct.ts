import { readMap } from '@drover/constructs/inputs/read-map';
import { TerminalError } from '@drover/core';

/** The constructs by an input that only they have; a fleet has one of the three levels. */
const byInput = {
  platform_org: 'runner-fleet',
  platform_repository: 'runner-fleet',
  platform_enterprise: 'runner-fleet',
  cluster_name: 'search-cluster',
  elasticsearch_url: 'search-ui',
} as const;

type ConfiguredConstruct = (typeof byInput)[keyof typeof byInput];

const find = (inputs: object) => Object.entries(byInput).find(([key]) => Object.hasOwn(inputs, key))?.[1];

/** The construct that a configuration file is for. */
export function configuredConstruct(file: string): ConfiguredConstruct {
  const map = readMap(file);
  if ('problem' in map) throw new TerminalError(`${file}: ${map.problem}. ${map.remedy}`);
  const found = find(map.inputs);
  if (found !== undefined) return found;
  throw new TerminalError(`${file} configures neither a runner fleet, nor a search cluster, nor its web UI`, {
    remedy: `give one of ${Object.keys(byInput).join(', ')}: docs/CONFIGURATION.md lists the inputs`,
  });
}

const described = {
  'runner-fleet': { text: 'a runner fleet', remedy: 'give it with --fleet' },
  'search-cluster': { text: 'a search cluster', remedy: 'give it with --cluster' },
  'search-ui': { text: 'the web UI of a search cluster', remedy: 'the example has one of its own' },
};

/** Refuses a file of another construct, which would have nothing but unknown inputs. Other mistakes are left to the construct. */
export function requireConstruct(file: string, wanted: ConfiguredConstruct): void {
  const map = readMap(file);
  const found = 'problem' in map ? undefined : find(map.inputs);
  if (found === undefined || found === wanted) return;
  const { text, remedy } = described[found];
  throw new TerminalError(`${file} configures ${text}, not ${described[wanted].text}`, { remedy });
}
