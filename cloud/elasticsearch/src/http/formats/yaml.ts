import type { Document, Value } from '@drover/formats';
import { parse } from 'yaml';
import { isDocument } from '../../engine/values/value.ts';
import { writeJson } from './json.ts';

/** YAML as Elasticsearch writes it: `---`, texts in double quotes, lists not indented. */
export function writeYaml(value: Value): string {
  const lines: string[] = [];
  if (Array.isArray(value) && value.length > 0) list(value, '', lines);
  else if (isDocument(value) && Object.keys(value).length > 0) object(value, '', lines);
  else return `--- ${scalar(value)}\n`;
  return `---\n${lines.join('\n')}\n`;
}

export const readYaml = (text: string): Value => parse(text) as Value;

function object(value: Document, indent: string, lines: string[]): void {
  for (const [key, member] of Object.entries(value))
    if (member !== undefined) entry(`${indent}${name(key)}:`, member, indent, lines);
}

function entry(head: string, member: Value, indent: string, lines: string[]): void {
  if (Array.isArray(member) && member.length > 0) {
    lines.push(head);
    list(member, indent, lines);
  } else if (isDocument(member) && Object.keys(member).length > 0) {
    lines.push(head);
    object(member, `${indent}  `, lines);
  } else pushFolded(`${head} ${scalar(member)}`, head.length + 1, indent, lines);
}

function list(items: readonly Value[], indent: string, lines: string[]): void {
  for (const item of items) {
    const inner: string[] = [];
    if (Array.isArray(item) && item.length > 0) list(item, `${indent}  `, inner);
    else if (isDocument(item) && Object.keys(item).length > 0) object(item, `${indent}  `, inner);
    else pushFolded(`${indent}  ${scalar(item)}`, indent.length + 2, indent, inner);
    lines.push(`${indent}- ${inner[0]!.slice(indent.length + 2)}`, ...inner.slice(1));
  }
}

/** Beyond this column the next space of a text begins a new line. */
const foldColumn = 80;

/** Long texts in quotes go on in the next line after a backslash, a space at its beginning after another. */
function pushFolded(line: string, from: number, indent: string, lines: string[]): void {
  if (line[from] !== '"' || line.length <= foldColumn) return void lines.push(line);
  const first = from + 1;
  const last = line.length - 2;
  let part = line.slice(0, first);
  for (let at = first; at < line.length; at++) {
    if (line[at] === ' ' && part.length > foldColumn && at > first && at < last) {
      lines.push(`${part}\\`);
      part = `${indent}  \\`;
    }
    part += line[at];
  }
  lines.push(part);
}

function scalar(value: Value): string {
  if (Array.isArray(value)) return '[]';
  return isDocument(value) ? '{}' : writeJson(value);
}

/** Names that YAML could take for something else are quoted. */
function name(key: string): string {
  const plain = /^[A-Za-z_][\w.\-/*]*$/.test(key) && !/^(true|false|null|yes|no|on|off|y|n|~)$/i.test(key);
  return plain ? key : JSON.stringify(key);
}
