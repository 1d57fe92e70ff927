import { templateError, templateFormatError, validationError } from '../errors.ts';
import { isObject, type Template, type TemplateObject, type TemplateValue } from './template.ts';
import { parseYaml } from './yaml.ts';

const sections = [
  'AWSTemplateFormatVersion',
  'Description',
  'Metadata',
  'Transform',
  'Parameters',
  'Mappings',
  'Conditions',
  'Rules',
  'Resources',
  'Outputs',
  'Hooks',
];

const resourceMembers = [
  'Type',
  'Properties',
  'DependsOn',
  'Condition',
  'DeletionPolicy',
  'UpdateReplacePolicy',
  'UpdatePolicy',
  'CreationPolicy',
  'Metadata',
];

const removalPolicies = ['Delete', 'Retain', 'RetainExceptOnCreate', 'Snapshot'];

/** User Guide, "CloudFormation quotas". */
const maxResources = 500;
const maxDescription = 1024;

/** Reads a JSON or YAML template and checks the shape of its sections. */
export function parseTemplate(body: string): Template {
  const raw = body.trimStart().startsWith('{') ? parseJson(body) : parseYaml(body);
  if (!isObject(raw)) throw templateFormatError('unsupported structure.');
  const unknown = Object.keys(raw).filter((name) => !sections.includes(name));
  if (unknown.length > 0) throw validationError(`Invalid template property or properties [${unknown.join(', ')}]`);
  if (raw.Hooks !== undefined) throw templateError('the embedded cloud does not model the Hooks section');
  const version = raw.AWSTemplateFormatVersion as string | undefined;
  return checkSections({
    ...(version === undefined ? {} : { AWSTemplateFormatVersion: version }),
    ...(raw.Description === undefined ? {} : { Description: raw.Description as string }),
    ...(raw.Metadata === undefined ? {} : { Metadata: section(raw, 'Metadata') }),
    Transform: transforms(raw.Transform),
    Parameters: section(raw, 'Parameters') as unknown as Template['Parameters'],
    Mappings: section(raw, 'Mappings') as Template['Mappings'],
    Conditions: section(raw, 'Conditions'),
    Rules: section(raw, 'Rules') as unknown as Template['Rules'],
    Resources: section(raw, 'Resources') as unknown as Template['Resources'],
    Outputs: section(raw, 'Outputs') as unknown as Template['Outputs'],
  });
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw templateFormatError(`JSON not well-formed. ${error instanceof Error ? error.message : ''}`);
  }
}

function section(raw: TemplateObject, name: string): TemplateObject {
  const value = raw[name] ?? {};
  if (!isObject(value)) throw templateFormatError(`[/${name}] expected an object.`);
  return value;
}

function transforms(value: TemplateValue | undefined): readonly string[] {
  const listed = (value === undefined ? [] : Array.isArray(value) ? value : [value]) as readonly TemplateValue[];
  return listed.map((each) => (typeof each === 'string' ? each : String((each as TemplateObject | null)?.Name)));
}

/** Checks the members of the sections. A loop that is not unrolled yet is passed over. */
function checkSections(template: Template): Template {
  const { Description } = template;
  if (Description !== undefined && (typeof Description !== 'string' || Buffer.byteLength(Description) > maxDescription))
    throw templateFormatError(`'Description' length is greater than ${maxDescription}.`);
  const count = Object.keys(template.Resources).length;
  if (count === 0) throw templateFormatError('At least one Resources member must be defined.');
  if (count > maxResources)
    throw templateFormatError(`Number of resources, ${count}, is greater than maximum allowed, ${maxResources}`);
  for (const [name, parameter] of Object.entries(template.Parameters))
    if (!isObject(parameter) || typeof parameter.Type !== 'string')
      throw templateFormatError(`[/Parameters/${name}] Every Parameters object must contain a Type member.`);
  for (const [id, resource] of Object.entries(template.Resources)) checkResource(id, resource as unknown);
  for (const [name, output] of Object.entries(template.Outputs)) {
    if (!/^[A-Za-z0-9]+$/.test(name)) throw templateFormatError(`Output name ${name} is non alphanumeric.`);
    if (!isObject(output) || output.Value === undefined)
      throw templateFormatError(`[/Outputs/${name}] Every Outputs member must contain a Value object`);
  }
  return template;
}

function checkResource(id: string, resource: unknown): void {
  if (!/^[A-Za-z0-9]+$/.test(id)) throw templateFormatError(`Resource name ${id} is non alphanumeric.`);
  if (!isObject(resource) || typeof resource.Type !== 'string')
    throw templateFormatError(`[/Resources/${id}] Every Resources object must contain a Type member.`);
  const unknown = Object.keys(resource).find((member) => !resourceMembers.includes(member));
  if (unknown !== undefined)
    throw validationError(
      `Invalid template resource property '${unknown}' (resource ${id}); allowed: ${resourceMembers}`,
    );
  if (resource.Properties !== undefined && !isObject(resource.Properties))
    throw templateFormatError(`[/Resources/${id}/Properties] expected an object.`);
  for (const policy of ['DeletionPolicy', 'UpdateReplacePolicy'] as const) checkPolicy(id, policy, resource[policy]);
  const nullPath = findNull(resource.Properties ?? {}, `/Resources/${id}/Properties`);
  if (nullPath !== undefined) throw templateFormatError(`[${nullPath}] 'null' values are not allowed in templates`);
}

function checkPolicy(id: string, policy: string, value: TemplateValue | undefined): void {
  if (value !== undefined && !removalPolicies.includes(String(value)))
    throw templateFormatError(
      `Unrecognized ${policy} ${String(value)} for resource ${id}; allowed: ${removalPolicies.join(', ')}`,
    );
}

function findNull(value: TemplateValue, path: string): string | undefined {
  if (value === null) return path;
  if (typeof value !== 'object') return undefined;
  for (const [key, each] of Object.entries(value)) {
    const found = findNull(each as TemplateValue, `${path}/${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
