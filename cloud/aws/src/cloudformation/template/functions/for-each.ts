import { templateError } from '../../errors.ts';
import { checkSections } from '../parse.ts';
import { isObject, type Template, type TemplateObject, type TemplateValue } from '../template.ts';
import type { Resolved } from './scope.ts';

const loopPrefix = 'Fn::ForEach::';

/** Names of loop variables and their values. */
type Bindings = Readonly<Record<string, string>>;
type Resolver = (value: TemplateValue) => Resolved;

/** Whether any section has a loop in it. */
export const hasLoops = (template: Template): boolean =>
  [template.Conditions, template.Resources, template.Outputs].some((section) =>
    JSON.stringify(section).includes(`"${loopPrefix}`),
  );

/** A template with its loops unrolled (User Guide, "Fn::ForEach"). Collections may refer to parameters and mappings. */
export function unrollLoops(template: Template, resolve: Resolver): Template {
  const unroll = <T>(section: T): T => expand(section as TemplateValue, {}, resolve) as T;
  return checkSections({
    ...template,
    Conditions: unroll(template.Conditions),
    Resources: unroll(template.Resources),
    Outputs: unroll(template.Outputs),
  });
}

function expand(value: TemplateValue, bindings: Bindings, resolve: Resolver): TemplateValue {
  if (typeof value === 'string') return fill(value, bindings);
  if (Array.isArray(value)) return value.map((each) => expand(each, bindings, resolve));
  if (!isObject(value)) return value;
  if (typeof value.Ref === 'string' && value.Ref in bindings) return bindings[value.Ref]!;
  const members: Record<string, TemplateValue> = {};
  for (const [key, each] of Object.entries(value)) {
    const added = key.startsWith(loopPrefix)
      ? turns(key, each, bindings, resolve)
      : { [fill(key, bindings)]: expand(each, bindings, resolve) };
    for (const [name, member] of Object.entries(added)) {
      if (name in members) throw templateError(`${key} makes ${name} twice`);
      members[name] = member;
    }
  }
  return members;
}

/** What all turns of one loop give. */
function turns(key: string, value: TemplateValue, bindings: Bindings, resolve: Resolver): TemplateObject {
  const [identifier, collection, body] = Array.isArray(value) ? (value as readonly TemplateValue[]) : [];
  const items = collection === undefined ? undefined : resolve(expand(collection, bindings, resolve));
  if (typeof identifier !== 'string' || !Array.isArray(items) || !isObject(body))
    throw templateError(`${key} requires a list of an identifier, a collection and an object`);
  const made: Record<string, TemplateValue> = {};
  for (const item of items) {
    const turn = expand(body, { ...bindings, [identifier]: String(item) }, resolve) as TemplateObject;
    for (const [name, member] of Object.entries(turn)) {
      if (name in made) throw templateError(`${key} makes ${name} twice`);
      made[name] = member;
    }
  }
  return made;
}

/** `${Name}` as it is, `&{Name}` with only its letters and digits. */
const fill = (text: string, bindings: Bindings): string =>
  text.replace(/([$&])\{(\w+)\}/g, (whole, mark: string, name: string) => {
    const value = bindings[name];
    if (value === undefined) return whole;
    return mark === '&' ? value.replace(/[^A-Za-z0-9]/g, '') : value;
  });
