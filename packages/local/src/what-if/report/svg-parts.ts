/** Measures that every part of the picture uses. */

export const margin = 24;
export const panelWidth = 470;
/** Between the margins. */
export const pageWidth = 2 * panelWidth + margin;

/** A part of the picture, drawn from its own corner. */
export interface Section {
  readonly height: number;
  readonly body: string;
}

export const round = (value: number): number => Math.round(value * 10) / 10;
export const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
