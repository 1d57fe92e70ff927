import { TerminalError } from '@drover/core';
import { editDistance } from '@drover/core/edit-distance';
import { type AgentKey, agentKeys } from '@drover/core/names/agent-keys';
import { defaultVendor, metricNamespace } from '@drover/core/names/runner-fleet';

/** The configuration that Puppet writes for the agent: /etc/runner-agent/config.json. */
export interface AgentConfig {
  readonly groupName: string;
  /** The group whose hooks hold this instance: the fleet's, or its on-demand fallback. */
  readonly ownGroup: string;
  readonly region: string;
  /** `https://github.com/<org>`, or the same on an Enterprise Server. */
  readonly platformUrl: string;
  readonly extraLabels: readonly string[];
  readonly runnerGroup: string | undefined;
  /** Jobs mode: a just-in-time configuration comes instead of a token, and the runner serves one job. */
  readonly ephemeral: boolean;
  /** Idle mode: what a job leaves behind does not reach the next one. */
  readonly cleanBetweenJobs: boolean;
  /** The folder of the installed runner. */
  readonly runnerDirectory: string;
  readonly runnerUser: string;
  /** Log group of the instances' logs; undefined for user data of release 0.1.0. */
  readonly logGroup: string | undefined;
  /** Namespace of the metrics of jobs. */
  readonly metricNamespace: string;
  /** Of the runner software; undefined for user data of release 0.1.0 and images without it. */
  readonly runnerVersion: string | undefined;
  /** Where the host's reports go; undefined for user data of release 0.1.0, which has no such place. */
  readonly reports: { readonly bucket: string; readonly prefix: string } | undefined;
}

export const configFile = '/etc/runner-agent/config.json';
/** The facts that cloud-init leaves for Puppet; the agent's configuration is made of its `actions_runner`. */
export const factsFile = '/etc/puppetlabs/facter/facts.d/custom.json';

const remedy = 'run Puppet again: it writes this file';

/** The configuration, or what it would be made of when Puppet failed before it wrote it. */
export function findConfig(read: (path: string) => string | undefined): AgentConfig {
  const facts = read(factsFile);
  const { actions_runner: fromFacts } = parse(facts ?? '{}', factsFile);
  const fallback = fromFacts === undefined ? undefined : JSON.stringify(fromFacts);
  const text = read(configFile) ?? fallback;
  if (text === undefined)
    throw new TerminalError(`neither ${configFile} nor ${factsFile} exists`, {
      remedy: 'is this an instance of a runner fleet? cloud-init writes the second file',
    });
  return readConfig(text);
}

export function readConfig(text: string): AgentConfig {
  const raw = parse(text, configFile);
  for (const key of Object.keys(raw)) if (!isKnown(key)) throw unknownKey(key);
  const optional = (key: AgentKey): string | undefined => {
    const value = raw[key];
    if (value === undefined || (typeof value === 'string' && value !== '')) return value;
    throw new TerminalError(`${configFile}: ${key} is ${JSON.stringify(value)}, which is not a text`, { remedy });
  };
  const required = (key: AgentKey): string => {
    const value = optional(key);
    if (value === undefined) throw new TerminalError(`${configFile}: ${key} is missing`, { remedy });
    return value;
  };
  const extraLabels = raw[agentKeys.extraLabels] ?? [];
  if (!Array.isArray(extraLabels))
    throw new TerminalError(`${configFile}: ${agentKeys.extraLabels} is not a list`, { remedy });
  return {
    groupName: required(agentKeys.groupName),
    ownGroup: optional(agentKeys.ownGroup) ?? required(agentKeys.groupName),
    region: required(agentKeys.region),
    platformUrl: required(agentKeys.platformUrl),
    extraLabels: extraLabels.map(String),
    ephemeral: optional(agentKeys.scalingMode) === 'jobs',
    cleanBetweenJobs: raw[agentKeys.cleanBetweenJobs] !== false,
    runnerGroup: optional(agentKeys.runnerGroup),
    runnerVersion: optional(agentKeys.runnerVersion),
    runnerDirectory: optional(agentKeys.runnerDirectory) ?? '/opt/actions-runner',
    logGroup: optional(agentKeys.logGroup),
    metricNamespace: optional(agentKeys.metricNamespace) ?? metricNamespace(defaultVendor),
    reports: reportPlace(optional(agentKeys.hostReports)),
    runnerUser: optional(agentKeys.runnerUser) ?? 'actions-runner',
  };
}

const known: readonly string[] = Object.values(agentKeys);
const isKnown = (key: string): key is AgentKey => known.includes(key);

/** A misspelt key would otherwise leave its default in force. */
function unknownKey(key: string): TerminalError {
  const near = known.find((each) => editDistance(each, key) <= 2);
  const problem = `${configFile}: the agent has no key ${key}`;
  return new TerminalError(near === undefined ? problem : `${problem}; did you mean ${near}?`, {
    remedy: 'the keys come from user data and from drover_runner::config in Hiera: remove or correct it there',
  });
}

/** `<bucket>/<prefix>` */
function reportPlace(text: string | undefined): AgentConfig['reports'] {
  if (text === undefined) return undefined;
  const slash = text.indexOf('/');
  return { bucket: text.slice(0, slash), prefix: text.slice(slash + 1) };
}

function parse(text: string, file: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new TerminalError(`${file} is not JSON`, {
      cause: error,
      remedy,
    });
  }
}
