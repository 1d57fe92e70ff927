import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { runnerFleetFields } from '../runner-fleet/inputs.ts';
import type { RunnerFleetProps } from '../runner-fleet/props.ts';
import { searchClusterFields } from '../search-cluster/inputs.ts';
import type { SearchClusterProps } from '../search-cluster/props.ts';
import { searchUiFields } from '../search-ui/inputs.ts';
import type { SearchUiProps } from '../search-ui/props.ts';
import { camelCase, type Field, type Fields, type PropsOf } from './fields.ts';

/** One flat object type, so that an interface with bases can be compared with an intersection. */
type Flat<T> = { [K in keyof T]: T[K] };

/** Names of props that only one of the two has. */
type Unmatched<Props, Inputs> = Exclude<keyof Props, keyof Inputs> | Exclude<keyof Inputs, keyof Props>;

describe('the types of construct props', () => {
  // First, so that the compiler names the prop, and not two types of a hundred members.
  it('every input of a table is a prop, and every prop an input', () => {
    expectTypeOf<Unmatched<RunnerFleetProps, PropsOf<typeof runnerFleetFields>>>().toBeNever();
    expectTypeOf<Unmatched<SearchClusterProps, PropsOf<typeof searchClusterFields>>>().toBeNever();
    expectTypeOf<Unmatched<SearchUiProps, PropsOf<typeof searchUiFields>>>().toBeNever();
  });

  // Checked by the compiler (`npm run types`): a prop that is missing, extra, or of another type is an error here.
  it('props have the types of the input tables', () => {
    expectTypeOf<Flat<RunnerFleetProps>>().toEqualTypeOf<Flat<PropsOf<typeof runnerFleetFields>>>();
    expectTypeOf<Flat<SearchClusterProps>>().toEqualTypeOf<Flat<PropsOf<typeof searchClusterFields>>>();
    expectTypeOf<Flat<SearchUiProps>>().toEqualTypeOf<Flat<PropsOf<typeof searchUiFields>>>();
  });
});

interface PropDoc {
  /** The first paragraph, as an IDE shows it. */
  readonly summary: string;
  readonly default: string | undefined;
}

const propsFile = (folder: string) => fileURLToPath(new URL(`../${folder}/props.ts`, import.meta.url));
const program = ts.createProgram(['runner-fleet', 'search-cluster', 'search-ui'].map(propsFile), {
  lib: ['lib.es5.d.ts'],
  types: [],
  allowImportingTsExtensions: true,
  noEmit: true,
});
const checker = program.getTypeChecker();

/** The documentation of every prop of an interface, inherited ones included, as an IDE finds it. */
function propDocs(folder: string, interfaceName: string): ReadonlyMap<string, PropDoc> {
  const declaration = program
    .getSourceFile(propsFile(folder))!
    .statements.find((node) => ts.isInterfaceDeclaration(node) && node.name.text === interfaceName)!;
  const properties = checker.getTypeAtLocation(declaration).getProperties();
  return new Map(properties.map((property) => [property.name, propDoc(property)]));
}

function propDoc(property: ts.Symbol): PropDoc {
  const [summary = ''] = ts.displayPartsToString(property.getDocumentationComment(checker)).split('\n\n');
  const tag = property.getJsDocTags(checker).find(({ name }) => name === 'default');
  return { summary, default: tag && ts.displayPartsToString(tag.text) };
}

/** The documentation that a table asks for: its description as a sentence and its default, both with names of props. */
function expectedDoc(fields: Fields, { description, required, defaultText }: Field<unknown>): PropDoc {
  const named = (text: string) =>
    text.replaceAll(/[a-z]+(?:_[a-z]+)+/g, (word) => (word in fields ? camelCase(word) : word));
  const sentence = named(description);
  return {
    summary: `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`,
    default: required ? undefined : named(defaultText),
  };
}

describe.each([
  ['RunnerFleetProps', 'runner-fleet', runnerFleetFields],
  ['SearchClusterProps', 'search-cluster', searchClusterFields],
  ['SearchUiProps', 'search-ui', searchUiFields],
] as const)('the TSDoc of %s', (name, folder, fields: Fields) => {
  const docs = propDocs(folder, name);

  it.each(Object.entries<Field<unknown>>(fields))(
    'TSDoc of %s has the meaning and @default of the input table',
    (key, field) => {
      expect(docs.get(camelCase(key))).toEqual(expectedDoc(fields, field));
    },
  );
});
