/** Reads the TSDoc of the constructs' props for each input. */
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The constructs by their folder, with the type of all their inputs. */
const inputTypes = {
  'runner-fleet': 'RunnerFleetInputs',
  'search-cluster': 'SearchClusterInputs',
  'search-ui': 'SearchUiInputs',
} as const;
export type ModuleFolder = keyof typeof inputTypes;

export interface PropDoc {
  /** The first paragraph that an IDE shows. */
  readonly summary: string;
  /** The last one. */
  readonly allowed: string | undefined;
  readonly default: string | undefined;
}

const sources = fileURLToPath(new URL('../../packages/constructs/src/', import.meta.url));
const propsFile = (folder: string) => `${sources}${folder}/props.ts`;
const makers = ['github-credentials', 'github-level', 'kibana-credentials', 'network', 'zone'];
const program = ts.createProgram(
  [
    ...Object.keys(inputTypes).map(propsFile),
    `${sources}inputs/shared-props.ts`,
    ...makers.map((name) => `${sources}props/${name}.ts`),
  ],
  {
    // No more files than these: what they import of CDK would take seconds.
    noResolve: true,
    lib: ['lib.es5.d.ts'],
    types: [],
    allowImportingTsExtensions: true,
    noEmit: true,
  },
);
const checker = program.getTypeChecker();

/** The documentation of every input of a construct by its name in camelCase, as an IDE finds it. */
export function inputDocs(folder: ModuleFolder): ReadonlyMap<string, PropDoc> {
  const declaration = program
    .getSourceFile(propsFile(folder))!
    .statements.find((node) => ts.isTypeAliasDeclaration(node) && node.name.text === inputTypes[folder])!;
  const properties = checker.getTypeAtLocation(declaration).getProperties();
  return new Map(properties.map((property) => [property.name, propDoc(property)]));
}

function propDoc(property: ts.Symbol): PropDoc {
  const [summary = '', ...more] = ts.displayPartsToString(property.getDocumentationComment(checker)).split('\n\n');
  const tag = property.getJsDocTags(checker).find(({ name }) => name === 'default');
  return { summary, allowed: more.at(-1), default: tag && ts.displayPartsToString(tag.text) };
}

/** A text about props as one about the keys of a configuration file: the name of a prop becomes its key. */
export function withKeys(text: string, nameOfKey: ReadonlyMap<string, string>): string {
  const keyOfName = new Map([...nameOfKey].map(([key, name]) => [name, key]));
  return text.replaceAll(/[A-Za-z][\w.]*\w/g, (word) => keyOfName.get(word) ?? word);
}
