/** The jobs of the workflow CI as lists of commands. */
import { parse } from 'yaml';

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string | number>>;
}

interface Job {
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly (string | number)[]>> };
  readonly container: { readonly image: string };
  readonly steps: readonly Step[];
}

/** The effect of a step: a command, a checkout, or a version of Node. */
export type Act =
  | { readonly kind: 'run'; readonly line: string }
  | { readonly kind: 'checkout' }
  | { readonly kind: 'node'; readonly major: string };

export interface NamedJob {
  readonly name: string;
  readonly image: string;
  readonly acts: readonly Act[];
}

/** One for each value of a matrix: lanes have their own names, others that of their job before them. */
export function jobsOf(workflow: string): readonly NamedJob[] {
  const { jobs } = parse(workflow) as { readonly jobs: Readonly<Record<string, Job>> };
  return Object.entries(jobs).flatMap(([job, { strategy, container, steps }]) => {
    const [[key, values] = ['', ['']]] = Object.entries(strategy?.matrix ?? {});
    return values.map((value) => {
      const text = (given: unknown) => String(given).replaceAll(`\${{ matrix.${key} }}`, String(value));
      const name = key === 'lane' ? String(value) : [job, value].filter((part) => part !== '').join('-');
      return { name, image: container.image, acts: steps.flatMap((step) => actOf(step, text)) };
    });
  });
}

function actOf({ run, uses = '', with: given }: Step, text: (given: unknown) => string): Act[] {
  if (run !== undefined) return [{ kind: 'run', line: text(run) }];
  const [action] = uses.split('@');
  if (action === 'actions/checkout') return [{ kind: 'checkout' }];
  if (action === 'actions/setup-node') return [{ kind: 'node', major: text(given!['node-version']) }];
  // Keeps logs of a failure, which are printed here.
  if (action === 'actions/upload-artifact') return [];
  throw new Error(`the action ${action} cannot be played`);
}
