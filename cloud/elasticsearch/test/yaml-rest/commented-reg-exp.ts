/** Java's comments mode: white space and `#` comments outside character classes mean nothing. */
export function commentedRegExp(source: string): RegExp {
  let result = '';
  let inClass = false;
  for (let at = 0; at < source.length; at++) {
    const character = source[at]!;
    if (character === '\\') result += character + (source[++at] ?? '');
    else if (inClass) {
      if (character === ']') inClass = false;
      result += character;
    } else if (character === '[') {
      inClass = true;
      result += character;
    } else if (character === '#') while (at < source.length && source[at] !== '\n') at++;
    else if (!/\s/.test(character)) result += character;
  }
  // Java's end of input also stands before a last line break.
  return new RegExp(result.replace(/(?<!\\)\$$/, '\\n?$'));
}
