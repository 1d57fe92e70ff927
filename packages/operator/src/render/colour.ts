import type { DroverIo } from '../io.ts';

const codes = { red: 31, green: 32, yellow: 33 } as const;
export type Colour = keyof typeof codes;

/** The text in a colour, where a person sees it. */
export const paint = ({ terminal }: Pick<DroverIo, 'terminal'>, colour: Colour, text: string): string =>
  terminal?.colour === true ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text;
