import { parse } from 'yaml';
import { GitHubError, notModelled } from '../http/responses.ts';

/** A workflow, as far as it is modelled: started by hand, with inputs of text, its jobs beside each other. */
export interface Workflow {
  readonly name: string;
  readonly title: string;
  readonly jobs: readonly WorkflowJob[];
}

export interface WorkflowJob {
  readonly name: string;
  readonly labels: readonly string[];
  /** Its `run` steps, one after the other. */
  readonly script: string;
  /** The action of its first step that uses one. */
  readonly uses: string | undefined;
  /** For how long a simulated runner works on it. @default a minute */
  readonly durationMs?: number;
}

interface Source {
  readonly name?: string;
  readonly 'run-name'?: string;
  readonly on?: { readonly workflow_dispatch?: { readonly inputs?: Readonly<Record<string, InputSource>> } | null };
  readonly jobs?: Readonly<Record<string, JobSource>>;
}

interface InputSource {
  readonly required?: boolean;
  readonly default?: string;
}

interface JobSource {
  readonly name?: string;
  readonly needs?: unknown;
  readonly strategy?: unknown;
  readonly 'runs-on'?: string | readonly string[];
  readonly steps?: readonly { readonly run?: string; readonly uses?: string }[];
}

type Inputs = Readonly<Record<string, string>>;

/** The workflow with these inputs, or GitHub's refusal to start it (docs.github.com, "Workflow syntax": on.workflow_dispatch.inputs). */
export function workflowOf(path: string, content: Buffer, given: Readonly<Record<string, unknown>>): Workflow {
  const source = parse(content.toString('utf8')) as Source;
  if (source.on === undefined || source.on === null || !('workflow_dispatch' in source.on))
    throw new GitHubError(422, "Workflow does not have 'workflow_dispatch' trigger");
  const inputs = inputsOf(source.on.workflow_dispatch?.inputs ?? {}, given);
  const name = source.name ?? path;
  return {
    name,
    title: source['run-name'] === undefined ? name : evaluated(source['run-name'], inputs),
    jobs: Object.entries(source.jobs ?? {}).map(([key, job]) => jobOf(key, job, inputs)),
  };
}

function inputsOf(declared: Readonly<Record<string, InputSource>>, given: Readonly<Record<string, unknown>>): Inputs {
  const unknown = Object.keys(given).filter((name) => !(name in declared));
  if (unknown.length > 0) throw new GitHubError(422, `Unexpected inputs provided: ${JSON.stringify(unknown)}`);
  return Object.fromEntries(
    Object.entries(declared).map(([name, input]) => {
      const value = given[name] ?? input.default;
      if (value === undefined && input.required === true)
        throw new GitHubError(422, `Required input '${name}' not provided`);
      return [name, String(value ?? '')];
    }),
  );
}

function jobOf(key: string, job: JobSource, inputs: Inputs): WorkflowJob {
  if (job.needs !== undefined || job.strategy !== undefined) throw notModelled(`needs or strategy of the job ${key}`);
  const steps = job.steps ?? [];
  return {
    name: job.name === undefined ? key : evaluated(job.name, inputs),
    labels: labelsOf(job['runs-on'] ?? [], inputs),
    script: steps.flatMap(({ run }) => (run === undefined ? [] : [evaluated(run, inputs)])).join('\n'),
    uses: steps.find(({ uses }) => uses !== undefined)?.uses,
  };
}

function labelsOf(runsOn: string | readonly string[], inputs: Inputs): readonly string[] {
  if (typeof runsOn !== 'string') return runsOn.map((label) => evaluated(label, inputs));
  const [, name] = /^\$\{\{\s*fromJSON\(inputs\.(\w+)\)\s*\}\}$/.exec(runsOn) ?? [];
  if (name === undefined) return [evaluated(runsOn, inputs)];
  const value = JSON.parse(inputs[name] ?? '') as string | readonly string[];
  return typeof value === 'string' ? [value] : value;
}

/** Expressions other than an input are not modelled. */
const evaluated = (text: string, inputs: Inputs): string =>
  text.replaceAll(/\$\{\{\s*(.*?)\s*\}\}/g, (_, expression: string) => {
    const [, name] = /^inputs\.(\w+)$/.exec(expression) ?? [];
    if (name === undefined) throw notModelled(`the expression ${expression}`);
    return inputs[name] ?? '';
  });
