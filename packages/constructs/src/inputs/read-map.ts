import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

type ReadMap =
  | { readonly inputs: Readonly<Record<string, unknown>> }
  | { readonly problem: string; readonly remedy: string };

/** The map that a YAML or JSON file holds, or what keeps it from being one. */
export function readMap(file: string): ReadMap {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return { problem: `it cannot be read (${(error as Error).message})`, remedy: 'Check its path and its rights' };
  }
  let inputs: unknown;
  try {
    inputs = parse(text);
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n');
    return { problem: `it is not YAML or JSON: ${reason.replace(/:$/, '')}`, remedy: 'Correct that line' };
  }
  if (typeof inputs === 'object' && inputs !== null && !Array.isArray(inputs))
    return { inputs: inputs as Record<string, unknown> };
  return { problem: `it holds ${nature(inputs)}, not a map of inputs`, remedy: 'Write one `key: value` a line' };
}

function nature(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
