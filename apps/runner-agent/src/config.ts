import { TerminalError } from '@drover/core';
import { defaultVendor, metricNamespace } from '@drover/core/names/runner-fleet';

/** The configuration that Puppet writes for the agent: /etc/runner-agent/config.json. */
export interface AgentConfig {
  readonly groupName: string;
  readonly region: string;
  /** `https://github.com/<org>`, or the same on an Enterprise Server. */
  readonly platformUrl: string;
  readonly extraLabels: readonly string[];
  readonly runnerGroup: string | undefined;
  /** Jobs mode: a just-in-time configuration comes instead of a token, and the runner serves one job. */
  readonly ephemeral: boolean;
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
  const required = (key: string): string => {
    const value = raw[key];
    if (typeof value !== 'string' || value === '')
      throw new TerminalError(`${configFile}: ${key} is missing`, { remedy: 'run Puppet again: it writes this file' });
    return value;
  };
  const extraLabels = raw.extra_labels ?? [];
  if (!Array.isArray(extraLabels)) throw new TerminalError(`${configFile}: extra_labels is not a list`);
  return {
    groupName: required('autoscaling_group_name'),
    region: required('region'),
    platformUrl: required('platform_url'),
    extraLabels: extraLabels.map(String),
    ephemeral: raw.scaling_mode === 'jobs',
    runnerGroup: typeof raw.runner_group === 'string' ? raw.runner_group : undefined,
    runnerVersion: typeof raw.runner_version === 'string' ? raw.runner_version : undefined,
    runnerDirectory: typeof raw.runner_directory === 'string' ? raw.runner_directory : '/opt/actions-runner',
    logGroup: typeof raw.log_group === 'string' ? raw.log_group : undefined,
    metricNamespace: typeof raw.metric_namespace === 'string' ? raw.metric_namespace : metricNamespace(defaultVendor),
    reports: typeof raw.host_reports === 'string' ? reportPlace(raw.host_reports) : undefined,
    runnerUser: typeof raw.runner_user === 'string' ? raw.runner_user : 'actions-runner',
  };
}

/** `<bucket>/<prefix>` */
function reportPlace(text: string): AgentConfig['reports'] {
  const slash = text.indexOf('/');
  return { bucket: text.slice(0, slash), prefix: text.slice(slash + 1) };
}

function parse(text: string, file: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new TerminalError(`${file} is not JSON`, {
      cause: error,
      remedy: 'run Puppet again: it writes this file',
    });
  }
}
