/** Declarations as TypeScript's users have them: texts beside enums, lists that may be readonly, undefined for what may be left out. */
export function friendly(declarations: string, face: string): string {
  const enums = [...face.matchAll(/^export enum (\w+)/gm)].map(([, name]) => name!);
  const anEnum = new RegExp(
    `(?<=^ +readonly \\w+\\??: |[(,] ?\\w+\\??: )(${enums.join('|')})(?=[;,)]| \\| undefined;)`,
    'gm',
  );
  return declarations
    .replaceAll(/^( +readonly \w+\?: [^;{}]+);$/gm, '$1 | undefined;')
    .replaceAll(anEnum, (name) => `${name} | \`\${${name}}\``)
    .replaceAll(/(?<=^ +readonly \w+\??: )([\w.]+)\[\](?=;| \| undefined;)/gm, 'readonly $1[]');
}
