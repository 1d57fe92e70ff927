import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { afterAll } from 'vitest';
import { parse } from 'yaml';
import { RunnerFleet, type RunnerFleetProps } from '../src/index.ts';

export const example = fileURLToPath(new URL('../../../examples/runner-fleet', import.meta.url));
export const stackName = 'runner-fleet';

/** Context that the `cdk` command gives to the example's app. */
export const exampleContext = (
  JSON.parse(readFileSync(join(example, 'cdk.json'), 'utf8')) as { readonly context: Record<string, unknown> }
).context;

/** The example's inputs, which every variant changes a little. */
export const exampleProps = (): RunnerFleetProps => RunnerFleet.readConfiguration(join(example, 'fleet.yaml'));

/** The same by the keys of its file. */
export const exampleInputs = (): Readonly<Record<string, unknown>> =>
  parse(readFileSync(join(example, 'fleet.yaml'), 'utf8')) as Record<string, unknown>;

export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>;
}

export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DependsOn?: readonly string[];
}

/** Has AWS's template rules applied in this file; they take longer than the synthesis, so other files go without. */
export function applyTemplateRules(): void {
  process.env.CDK_VALIDATION = 'true';
  afterAll(() => {
    process.env.CDK_VALIDATION = 'false';
  });
}

/**
 * Synthesises as the gate does: AWS's template rules and cdk-nag's AwsSolutions pack, every finding of either an error.
 * The error names the report; this one carries its findings, so that a failing test says what is wrong.
 */
export function synthesise(build: (stack: Stack) => void): Template {
  const outdir = mkdtempSync(join(tmpdir(), 'drover-synth-'));
  const app = new App({ outdir, context: exampleContext });
  build(new Stack(app, stackName));
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  try {
    app.synth();
  } catch (error) {
    throw new Error(findings(outdir).join('\n'), { cause: error });
  }
  return readTemplate(outdir);
}

/** A fleet with the example's inputs, changed. */
export const synthesiseFleet = (changes: Partial<RunnerFleetProps> = {}): Template =>
  synthesise((stack) => new RunnerFleet(stack, 'RunnerFleet', { ...exampleProps(), ...changes }));

export const readTemplate = (outdir: string, name = stackName): Template =>
  JSON.parse(readFileSync(join(outdir, `${name}.template.json`), 'utf8')) as Template;

interface Report {
  readonly pluginReports: readonly {
    readonly pluginName: string;
    readonly violations: readonly {
      readonly ruleName: string;
      readonly description: string;
      readonly violatingConstructs: readonly { readonly constructPath: string }[];
    }[];
  }[];
}

function findings(outdir: string): string[] {
  const report = JSON.parse(readFileSync(join(outdir, 'validation-report.json'), 'utf8')) as Report;
  return report.pluginReports.flatMap(({ pluginName, violations }) =>
    violations.map(
      ({ ruleName, description, violatingConstructs }) =>
        `${pluginName} ${ruleName}: ${description} ${violatingConstructs.map(({ constructPath }) => constructPath)}`,
    ),
  );
}
