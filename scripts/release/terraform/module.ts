import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Attributes, block, quoted, snakeCase } from './hcl.ts';

interface Template {
  readonly Parameters: Readonly<Record<string, Parameter>>;
  readonly Outputs: Readonly<Record<string, { readonly Description?: string }>>;
}

interface Parameter {
  readonly Type: string;
  readonly Description: string;
  readonly Default?: string | number;
  readonly AllowedPattern?: string;
  readonly ConstraintDescription?: string;
  readonly MinValue?: number;
}

const header = '# Written by scripts/release/terraform: changes are lost.\n';
/** The module brings it itself. */
const ownParameter = 'AssetBucket';

/** The files of a module that deploys a released template, or what `drover synth` wrote, by their names. */
export function moduleFiles(folder: string, name: string, templates: readonly string[]): Record<string, string> {
  const { Parameters, Outputs } = JSON.parse(readFileSync(join(folder, `${name}.template.json`), 'utf8')) as Template;
  const parameters = Object.entries(Parameters).filter(([parameter]) => parameter !== ownParameter);
  const variables = [...ownVariables(name, templates), ...parameters.map(([id, declared]) => variable(id, declared))];
  return {
    'main.tf': `${header}\n${readFileSync(join(import.meta.dirname, 'main.tf'), 'utf8')}`,
    'parameters.tf': `${header}\n${given(parameters.map(([id]) => id))}\n`,
    'variables.tf': `${header}\n${variables.join('\n\n')}\n`,
    'outputs.tf': `${header}\n${outputs(Outputs).join('\n\n')}\n`,
  };
}

function ownVariables(name: string, templates: readonly string[]): string[] {
  const own = (id: string, description: string, attributes: Attributes, inner: string[] = []) =>
    block(`variable ${quoted(id)}`, [['description', quoted(description)], ...attributes], inner);
  const architecture = own(
    'architecture',
    'x86_64 or arm64: which of the released templates is deployed',
    [
      ['type', 'string'],
      ['default', quoted('x86_64')],
    ],
    [validation('contains(["x86_64", "arm64"], var.architecture)', 'give x86_64 or arm64')],
  );
  return [
    own('stack_name', 'Name of the stack', [
      ['type', 'string'],
      ['default', quoted(name)],
    ]),
    own(
      'asset_bucket',
      'Bucket in the region of the stack that gets the template and its assets, and that no other stack uses',
      [['type', 'string']],
    ),
    own('region', 'Region of the bucket and the stack', [['type', 'string']]),
    own('folder', 'Folder with the template and its assets: cloudformation/ of a release, or what drover synth wrote', [
      ['type', 'string'],
    ]),
    own('template', 'File name of the template; null: the released one', [
      ['type', 'string'],
      ['default', 'null'],
    ]),
    own('tags', 'Tags of the stack, which CloudFormation gives to what it makes', [
      ['type', 'map(string)'],
      ['default', '{}'],
    ]),
    ...(templates.length > 1 ? [architecture] : []),
    block('locals', [
      [
        'released_template',
        templates.length > 1
          ? `var.architecture == "arm64" ? ${quoted(`${name}-arm64.template.json`)} : ${quoted(`${name}.template.json`)}`
          : quoted(`${name}.template.json`),
      ],
    ]),
  ];
}

/** Null where it is not given: the template has a default, or is one that has no such parameter. */
function variable(id: string, declared: Parameter): string {
  const name = snakeCase(id);
  const missing = declared.Default === undefined ? ' (needed by the released template)' : '';
  const checks: string[] = [];
  if (declared.AllowedPattern !== undefined)
    checks.push(
      validation(
        `var.${name} == null || can(regex(${quoted(`^(?:${declared.AllowedPattern})$`)}, var.${name}))`,
        declared.ConstraintDescription ?? 'the template does not allow it',
      ),
    );
  if (declared.MinValue !== undefined)
    checks.push(
      validation(`try(var.${name} >= ${declared.MinValue}, var.${name} == null)`, `give ${declared.MinValue} or more`),
    );
  return block(
    `variable ${quoted(name)}`,
    [
      ['description', quoted(`${declared.Description}${missing}`)],
      ['type', declared.Type === 'Number' ? 'number' : 'string'],
      ['default', 'null'],
    ],
    checks,
  );
}

const validation = (condition: string, message: string): string =>
  `\n${block('validation', [
    ['condition', condition],
    ['error_message', quoted(`${message[0]!.toUpperCase()}${message.slice(1)}.`)],
  ])}`;

function given(ids: readonly string[]): string {
  const width = Math.max(...ids.map((id) => id.length));
  const rows = ids.map((id) => `    ${id.padEnd(width)} = var.${snakeCase(id)}`);
  return `locals {\n  given = {\n${rows.join('\n')}\n  }\n}`;
}

/** A template of one's own may lack some of them. */
const outputs = (declared: Template['Outputs']): string[] =>
  Object.entries(declared).map(([id, { Description = '' }]) =>
    block(`output ${quoted(snakeCase(id))}`, [
      ['description', quoted(Description)],
      ['value', `lookup(aws_cloudformation_stack.this.outputs, ${quoted(id)}, null)`],
    ]),
  );
