import type { CommandSpec } from '../tree/types.ts';

/** The examples of a command as its help shows them. */
export function examplesText({ examples }: CommandSpec): string {
  if (examples.length === 0) return '';
  const lines = examples.map(([typed, does]) => `  $ cluster-cli ${typed}\n      ${does}`);
  return `\nExamples:\n${lines.join('\n')}`;
}
