/** Text of HCL as `terraform fmt` writes it. */
export type Attributes = readonly (readonly [name: string, expression: string])[];

/** A quoted string; `${` and `%{` would begin an expression. */
export const quoted = (text: string): string => JSON.stringify(text).replaceAll('${', '$${').replaceAll('%{', '%%{');

/** A block of attributes, their equals signs below each other, and of blocks inside it. */
export function block(title: string, attributes: Attributes, inner: readonly string[] = []): string {
  const width = Math.max(0, ...attributes.map(([name]) => name.length));
  const lines = attributes.map(([name, expression]) => `${name.padEnd(width)} = ${expression}`);
  const parts = [lines.join('\n'), ...inner].filter((part) => part !== '');
  return `${title} {\n${indented(parts.join(lines.length === 0 ? '\n\n' : '\n'))}\n}`;
}

const indented = (text: string): string => text.replace(/^(?=.)/gm, '  ');

export const snakeCase = (name: string): string => name.replace(/(?!^)([A-Z])/g, '_$1').toLowerCase();
