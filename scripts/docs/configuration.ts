/** Writes docs/CONFIGURATION.md from the tables of the constructs, so that the reference cannot differ from them. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { camelCase, type Field, type Fields } from '../../packages/constructs/src/inputs/fields.ts';
import { type Outputs, stackOutputName } from '../../packages/constructs/src/outputs.ts';
import { runnerFleetFields } from '../../packages/constructs/src/runner-fleet/inputs.ts';
import { runnerFleetOutputs } from '../../packages/constructs/src/runner-fleet/outputs.ts';

/** Where the page is kept. */
export const configurationPage = fileURLToPath(new URL('../../docs/CONFIGURATION.md', import.meta.url));

/** The inputs and outputs of every module as Markdown. */
export function configurationReference(): string {
  return [
    '# Configuration',
    '',
    '<!-- Written by scripts/docs/configuration.ts from the tables of packages/constructs: change those, not this. -->',
    '',
    introduction,
    '',
    '## Runner fleet',
    '',
    fleetIntroduction,
    '',
    '### Inputs',
    '',
    ...inputTable(runnerFleetFields),
    '',
    fleetRules,
    '',
    '### Outputs',
    '',
    outputIntroduction,
    '',
    ...outputTable(runnerFleetOutputs),
    '',
  ].join('\n');
}

const introduction = `Each module is a CDK construct with typed props in camelCase, and reads a YAML or JSON file whose keys are the names below.
An unknown key, a wrong type, a value out of range or a contradiction stops the synthesis with the key, the value, what is
allowed and what to do; every problem is told at once.`;

const fleetIntroduction = `\`\`\`ts
new RunnerFleet(stack, 'RunnerFleet', RunnerFleet.readConfiguration('fleet.yaml'));
new RunnerFleet(stack, 'RunnerFleet', { environment: 'production', platformOrg: 'example-org', … });
\`\`\`

\`examples/runner-fleet\` is a whole app.`;

const fleetRules = `Inputs that go together:

- Exactly one way of authentication: \`platform_token_secret_arn\`, or \`platform_app_id\` with \`platform_app_pem_secret_arn\`.
- \`lambda_subnet_ids\` is required unless \`runner_subnets_private\` is true: a function in a public subnet has no way out.
- With \`on_demand_base_capacity\` the group uses spot instances above it and the warm pool is off, with a warning.
- \`warm_pool_max_size\` counts the group and the pool together; 0 means no warm pool.
- With a warm pool \`root_volume_size\` must hold the memory of a hibernated instance and 10 GiB more.
- \`architecture\` must be what the instance types have; several \`instance_types\` need \`on_demand_base_capacity\`.
- A \`puppet_hiera_config_path\` below \`/opt/<package>\` needs \`<package>\` in \`packages\`.`;

const outputIntroduction =
  'CloudFormation allows only letters and digits in the name of an output; `drover output NAME` takes either name.';

const escaped = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '\\<');

function inputTable(fields: Fields): readonly string[] {
  const rows = Object.entries<Field<unknown>>(fields).map(([key, { description, allowed, required, defaultText }]) => {
    const fallback = required ? '**required**' : escaped(defaultText);
    return `| \`${key}\` | \`${camelCase(key)}\` | ${escaped(description)} | ${escaped(allowed)} | ${fallback} |`;
  });
  return ['| Input | Prop | Meaning | Allowed | Default |', '|---|---|---|---|---|', ...rows];
}

function outputTable(outputs: Outputs): readonly string[] {
  const rows = Object.entries(outputs).map(
    ([name, meaning]) => `| \`${name}\` | \`${stackOutputName(name)}\` | ${escaped(meaning)} |`,
  );
  return ['| Output | In the stack | Meaning |', '|---|---|---|', ...rows];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(configurationPage, configurationReference());
