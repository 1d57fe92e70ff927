import { parse } from 'yaml';
import { writeJson } from './json.ts';
import { isXObject, type XObject, type XValue } from './value.ts';

/** YAML as Elasticsearch writes it: `---`, texts in double quotes, lists not indented. */
export function writeYaml(value: XValue): string {
  const lines: string[] = [];
  if (Array.isArray(value) && value.length > 0) list(value, '', lines);
  else if (isXObject(value) && Object.keys(value).length > 0) object(value, '', lines);
  else return `--- ${scalar(value)}\n`;
  return `---\n${lines.join('\n')}\n`;
}

export const readYaml = (text: string): XValue => parse(text) as XValue;

function object(value: XObject, indent: string, lines: string[]): void {
  for (const [key, member] of Object.entries(value))
    if (member !== undefined) entry(`${indent}${name(key)}:`, member, indent, lines);
}

function entry(head: string, member: XValue, indent: string, lines: string[]): void {
  if (Array.isArray(member) && member.length > 0) {
    lines.push(head);
    list(member, indent, lines);
  } else if (isXObject(member) && Object.keys(member).length > 0) {
    lines.push(head);
    object(member, `${indent}  `, lines);
  } else lines.push(`${head} ${scalar(member)}`);
}

function list(items: readonly XValue[], indent: string, lines: string[]): void {
  for (const item of items) {
    const inner: string[] = [];
    if (Array.isArray(item) && item.length > 0) list(item, `${indent}  `, inner);
    else if (isXObject(item) && Object.keys(item).length > 0) object(item, `${indent}  `, inner);
    else inner.push(`${indent}  ${scalar(item)}`);
    lines.push(`${indent}- ${inner[0]!.slice(indent.length + 2)}`, ...inner.slice(1));
  }
}

function scalar(value: XValue): string {
  if (Array.isArray(value)) return '[]';
  return isXObject(value) ? '{}' : writeJson(value);
}

/** Names that YAML could take for something else are quoted. */
function name(key: string): string {
  const plain = /^[A-Za-z_][\w.\-/*]*$/.test(key) && !/^(true|false|null|yes|no|on|off|y|n|~)$/i.test(key);
  return plain ? key : JSON.stringify(key);
}
