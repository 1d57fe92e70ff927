import type { OptionSpec } from '../tree/types.ts';

/** A value as its option wants it, or why not. */
export function readValue(option: OptionSpec, text: string): { value: string | number } | { wrong: string } {
  if (option.choices !== undefined && !option.choices.includes(text))
    return { wrong: `Allowed choices are ${option.choices.join(', ')}.` };
  switch (option.kind) {
    case 'seconds':
      return whole(text, 1, Number.MAX_SAFE_INTEGER, 'a whole number of seconds above 0');
    case 'integer':
      return whole(text, 0, Number.MAX_SAFE_INTEGER, 'a whole number, 0 or above');
    case 'port':
      return whole(text, 1, 65_535, 'a port from 1 to 65535');
    default:
      return { value: text };
  }
}

function whole(text: string, least: number, most: number, wanted: string): { value: number } | { wrong: string } {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return { value: number };
  return { wrong: `It must be ${wanted}.` };
}
