/** At most this many items of a list are printed. */
const mostListed = 5;
/** A line that is longer is not read. */
const longestText = 400;

/** The first of many things, and how many more there are. */
export function listed(things: readonly string[], separator = '; '): string {
  const shown = things.slice(0, mostListed).join(separator);
  const more = things.length - mostListed;
  return more > 0 ? `${shown}${separator}and ${more} more` : shown;
}

/** One line of a length that is read: of a long text its beginning and its end, which names the error. */
export function shortened(text: string): string {
  const line = text.trim().replaceAll(/\s*\n\s*/g, ' | ');
  return line.length <= longestText
    ? line
    : `${line.slice(0, longestText / 4)} … ${line.slice(-(3 * longestText) / 4)}`;
}
