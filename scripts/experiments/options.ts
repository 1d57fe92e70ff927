import { parseArgs } from 'node:util';
import type { Experiment } from './experiment.ts';
import { experiments } from './list.ts';

/** Why nothing was done. */
export class Refused extends Error {}

export interface Options {
  readonly mode: 'help' | 'list' | 'clean' | 'rehearse' | 'run';
  readonly chosen: readonly Experiment[];
  /** Whether experiments were named: those that cannot be made are a refusal then. */
  readonly named: boolean;
  readonly github:
    | {
        readonly organisation: string;
        /** `owner/name`. */
        readonly repository: string;
        readonly branch: string;
        readonly token: { readonly variable: string } | { readonly file: string };
      }
    | undefined;
  readonly subnet: string | undefined;
  readonly runnerFolder: string | undefined;
  readonly hosted: string;
  readonly json: string;
  readonly long: boolean;
  readonly agreed: boolean;
}

const declared = {
  help: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  clean: { type: 'boolean', default: false },
  rehearse: { type: 'boolean', default: false },
  long: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  only: { type: 'string' },
  organisation: { type: 'string' },
  repository: { type: 'string' },
  branch: { type: 'string', default: 'main' },
  'token-env': { type: 'string' },
  'token-file': { type: 'string' },
  subnet: { type: 'string' },
  'runner-folder': { type: 'string' },
  'runs-on': { type: 'string', default: 'ubuntu-latest' },
  json: { type: 'string' },
} as const;

type Values = ReturnType<typeof valuesOf>;

export function readOptions(args: readonly string[]): Options {
  const values = valuesOf(args);
  const chosen = chosenBy(values.only);
  const modes = (['help', 'list', 'clean', 'rehearse'] as const).filter((mode) => values[mode]);
  if (modes.length > 1) throw new Refused(`--${modes.join(' and --')} exclude each other`);
  return {
    mode: modes[0] ?? 'run',
    chosen,
    named: values.only !== undefined,
    github: githubOf(values),
    subnet: values.subnet,
    runnerFolder: values['runner-folder'],
    hosted: values['runs-on'],
    json: values.json ?? `.cache/experiments${values.rehearse ? '-rehearsed' : ''}.json`,
    long: values.long,
    agreed: values.yes,
  };
}

function valuesOf(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: declared }).values;
  } catch (error) {
    // The words of Node may repeat an argument, which may be a token.
    const { code } = error as { code?: string };
    const which = args.find((arg) => arg.startsWith('--') && !(arg.slice(2).split('=')[0]! in declared));
    throw new Refused(
      code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' && which !== undefined
        ? `there is no option ${which.split('=')[0]}: --help has all of them`
        : 'the options cannot be read: --help has all of them, and everything is an option',
    );
  }
}

function chosenBy(only: string | undefined): readonly Experiment[] {
  if (only === undefined) return experiments;
  return only.split(',').map((id) => {
    const found = experiments.find((experiment) => experiment.id === id.trim().toUpperCase());
    if (found === undefined) throw new Refused(`there is no experiment ${id}: --list has all of them`);
    return found;
  });
}

/** All of it or nothing: no name is taken from the surroundings. */
function githubOf(values: Values): Options['github'] {
  const { organisation, repository, branch, 'token-env': variable, 'token-file': file } = values;
  const given = [organisation, repository, variable ?? file].filter((one) => one !== undefined);
  if (given.length === 0) return undefined;
  if (organisation === undefined) throw new Refused('--organisation is missing: scale sets are made there');
  if (repository === undefined)
    throw new Refused('--repository is missing: OWNER/NAME, whose workflows may be changed');
  if (!/^[\w-]+\/[\w.-]+$/.test(repository)) throw new Refused('--repository is OWNER/NAME');
  if (repository.split('/')[0]!.toLowerCase() !== organisation.toLowerCase())
    throw new Refused(`--repository must belong to ${organisation}, whose scale sets its jobs are to reach`);
  if (variable !== undefined && file !== undefined) throw new Refused('--token-env or --token-file, not both');
  if (variable === undefined && file === undefined)
    throw new Refused('--token-env NAME or --token-file FILE is missing: where the token is, never the token itself');
  if (variable !== undefined && !/^[A-Za-z_][A-Za-z0-9_]{0,60}$/.test(variable)) throw new Refused(notAToken);
  if (/^(gh[a-z]_|github_pat_)/.test(variable ?? file ?? '')) throw new Refused(notAToken);
  return { organisation, repository, branch, token: variable === undefined ? { file: file! } : { variable } };
}

const notAToken =
  '--token-env takes the name of a variable and --token-file that of a file. A token that was given there is in the history of the shell now: revoke it';

export const help = `npm run test:github -- OPTIONS

Experiments on GitHub and AWS themselves, for what no documentation says. Designs of Drover wait
for the results: docs/internal/EXPERIMENTS.md says which for which.

What to do (without one of these: make the experiments)
  --list              the experiments: question, needs, time, cost, what it decides
  --rehearse          make them on the embedded cloud, without any account, in seconds
  --clean             remove what a killed run has left, by the names that all runs use

GitHub, for E1 to E7
  --organisation ORG  scale sets drover-experiment-e1 and so on are made here
  --repository O/R    a repository of ORG for nothing else: workflows are pushed to its branch, run, and deleted
  --branch NAME       its default branch (main)
  --token-env NAME    the variable that has a token, or
  --token-file FILE   the file that has it, which only you may read. The token is never an option.
                      Classic: scopes repo, workflow and admin:org. Fine-grained: Contents, Workflows and
                      Actions (write) on the repository, self-hosted runners (write) of the organisation.
  --runs-on LABEL     GitHub's own runners, for E6 (ubuntu-latest)
  --runner-folder DIR GitHub's runner, unpacked, for E7: it executes three jobs on this machine, as you

AWS, for E8 to E10
  DROVER_TEST_AWS_ACCOUNT must name the account (12 digits); credentials and region as for any AWS client.
  They may create stacks with launch templates, groups and parameters, and launch t3.nano instances.
  --subnet ID         where instances are launched (a default subnet)

How
  --only E1,E4        these alone; then it is a refusal that one of them cannot be made
  --long              long forms: E3 waits 15 minutes for a job, E5 takes 48 hours
  --yes               do not ask whether time and cost are agreed
  --json FILE         results with their evidence (.cache/experiments.json); others in it are kept

Everything that is made is named drover-experiment-…, and removed when its experiment ends, fails or is
interrupted. A run refuses to begin an experiment whose names exist.

Exit codes: 0 each is a yes or a no, 1 a result is unclear or something is left behind, 2 refused before anything was made.`;

/** The experiments with what they need, cost and decide. */
export function listOf(chosen: readonly Experiment[]): string {
  const texts = chosen.map(({ id, question, needs, minutes, usd, decides, notRehearsed }) =>
    [
      `${id.padEnd(4)} ${question}`,
      `     needs ${needs.join(' and ')}; about ${minutes} min, at most ${usd.toFixed(2)} USD`,
      ...decides.flatMap(({ design, document, ifYes, ifNo }) => [
        `     decides: ${design} (${document})`,
        `       yes: ${ifYes}`,
        `       no:  ${ifNo}`,
      ]),
      ...(notRehearsed === undefined ? [] : [`     not rehearsed: ${notRehearsed}`]),
    ].join('\n'),
  );
  return [...texts, costOf(chosen)].join('\n');
}

export function costOf(chosen: readonly Experiment[]): string {
  const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);
  const time = sum(chosen.map(({ minutes }) => minutes));
  return `${chosen.length} experiments, one after the other: about ${time} min, at most ${sum(chosen.map(({ usd }) => usd)).toFixed(2)} USD`;
}
