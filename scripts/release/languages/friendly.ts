/** Declarations as TypeScript's users have them: texts beside enums, lists that may be readonly, undefined for what may be left out. */
export function friendly(declarations: string, face: string): string {
  const enums = [...face.matchAll(/^export enum (\w+)/gm)].map(([, name]) => name!);
  const anEnum = new RegExp(`(?<=^ +readonly \\w+\\??: |[(,] ?\\w+\\??: )(${enums.join('|')})(?=[;,)])`, 'gm');
  return declarations
    .replaceAll(anEnum, (name) => `${name} | \`\${${name}}\``)
    .replaceAll(/(?<=^ +readonly \w+\??: )([\w.]+)\[\];/gm, 'readonly $1[];')
    .replaceAll(/^( +readonly \w+\?: [^;{}]+);$/gm, '$1 | undefined;');
}
