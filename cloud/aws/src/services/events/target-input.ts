import { validation } from './errors.ts';
import type { BusEvent, Target } from './model.ts';

/**
 * What a target receives: the event, a constant, a part of the event, or a template filled from it.
 * (EventBridge User Guide, "Amazon EventBridge input transformation".)
 */
export function targetInput(target: Target, event: BusEvent, rule: { name: string; arn: string }): unknown {
  if (target.Input !== undefined) return JSON.parse(target.Input);
  if (target.InputPath !== undefined) return valueAt(event, target.InputPath);
  if (target.InputTransformer !== undefined) return transformed(target.InputTransformer, event, rule);
  return event;
}

function transformed(
  { InputPathsMap = {}, InputTemplate = '' }: NonNullable<Target['InputTransformer']>,
  event: BusEvent,
  rule: { name: string; arn: string },
): unknown {
  const values: Record<string, unknown> = {
    'aws.events.event.json': event,
    'aws.events.event': event,
    'aws.events.event.ingestion-time': event.time,
    'aws.events.rule-name': rule.name,
    'aws.events.rule-arn': rule.arn,
  };
  for (const [name, path] of Object.entries(InputPathsMap)) values[name] = valueAt(event, path);
  const text = fill(InputTemplate, values);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Inside quotes a variable becomes text, elsewhere JSON; what the event does not have becomes nothing. */
function fill(template: string, values: Readonly<Record<string, unknown>>): string {
  let quoted = false;
  return template.replace(/\\.|"|<([\w.-]+)>/g, (found, name: string | undefined) => {
    if (found === '"') quoted = !quoted;
    if (name === undefined || !(name in values)) return found;
    const value = values[name];
    if (!quoted) return value === undefined ? '""' : JSON.stringify(value);
    const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
    return JSON.stringify(text).slice(1, -1);
  });
}

/** `$.detail.instance-id`, `$.resources[0]`. */
export function valueAt(event: unknown, path: string): unknown {
  let at: unknown = event;
  for (const step of stepsOf(path)) at = Object(at)[step] as unknown;
  return at;
}

function stepsOf(path: string): string[] {
  if (!/^\$(\.[^.[\]]+|\[\d+\]|\['[^']+'\])*$/.test(path)) throw validation(`Invalid InputPath: ${path}`);
  return [...path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\['([^']+)'\]/g)].map((step) => (step[1] ?? step[2] ?? step[3])!);
}
