import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { inputDocs } from '../../../../scripts/docs/input-docs.ts';
import { names as runnerFleetNames } from '../props/runner-fleet.ts';
import { names as searchClusterNames } from '../props/search-cluster.ts';
import { names as searchUiNames } from '../props/search-ui.ts';
import { runnerFleetFields } from '../runner-fleet/inputs.ts';
import type { RunnerFleetInputs, RunnerFleetProps } from '../runner-fleet/props.ts';
import { searchClusterFields } from '../search-cluster/inputs.ts';
import type { SearchClusterInputs, SearchClusterProps } from '../search-cluster/props.ts';
import { searchUiFields } from '../search-ui/inputs.ts';
import type { SearchUiInputs, SearchUiProps } from '../search-ui/props.ts';
import { camelCase, type Field, type Fields, type PropsOf } from './fields.ts';

/** One flat object type, so that an interface with bases can be compared with an intersection. */
type Flat<T> = { [K in keyof T]: T[K] };

/** Names of props that only one of the two has. */
type Unmatched<Props, Inputs> = Exclude<keyof Props, keyof Inputs> | Exclude<keyof Inputs, keyof Props>;

type RequiredKeys<T> = { [K in keyof T]-?: object extends Pick<T, K> ? never : K }[keyof T];

describe('the types of construct props', () => {
  it('a construct without its network, its place at GitHub, its zone or its credentials does not compile', () => {
    expectTypeOf<RequiredKeys<RunnerFleetProps>>().toEqualTypeOf<'environment' | 'level' | 'network' | 'credentials'>();
    expectTypeOf<RequiredKeys<SearchClusterProps>>().toEqualTypeOf<
      'environment' | 'clusterName' | 'network' | 'zone'
    >();
    expectTypeOf<RequiredKeys<SearchUiProps>>().toEqualTypeOf<
      'environment' | 'version' | 'network' | 'zone' | 'elasticsearchUrl' | 'elasticsearchVersion' | 'credentials'
    >();
  });

  // First, so that the compiler names the prop, and not two types of a hundred members.
  it('every input of a table is a prop, and every prop an input', () => {
    expectTypeOf<Unmatched<RunnerFleetInputs, PropsOf<typeof runnerFleetFields>>>().toBeNever();
    expectTypeOf<Unmatched<SearchClusterInputs, PropsOf<typeof searchClusterFields>>>().toBeNever();
    expectTypeOf<Unmatched<SearchUiInputs, PropsOf<typeof searchUiFields>>>().toBeNever();
  });

  // Checked by the compiler (`npm run types`): a prop that is missing, extra, or of another type is an error here.
  it('props have the types of the input tables', () => {
    expectTypeOf<Flat<RunnerFleetInputs>>().toEqualTypeOf<Flat<PropsOf<typeof runnerFleetFields>>>();
    expectTypeOf<Flat<SearchClusterInputs>>().toEqualTypeOf<Flat<PropsOf<typeof searchClusterFields>>>();
    expectTypeOf<Flat<SearchUiInputs>>().toEqualTypeOf<Flat<PropsOf<typeof searchUiFields>>>();
  });
});

/** The TSDoc that a table asks for: the allowed values with names of props, and the meaning of a required input as a sentence. */
function expectedDoc(fields: Fields, names: Names, { meaning, allowed }: Field<unknown>) {
  const named = (text: string) =>
    text.replaceAll(/[a-z]+(?:_[a-z]+)+/g, (word) => (word in fields ? (names[word] ?? camelCase(word)) : word));
  return {
    allowed: `Allowed: ${named(allowed)}.`,
    ...(meaning === undefined
      ? { summary: expect.stringMatching(/^[A-Z].*\.$/), default: expect.stringMatching(/./) }
      : { summary: `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`, default: undefined }),
  };
}

type Names = Readonly<Record<string, string>>;

/** The classes whose objects stand for several inputs. */
const makers = ['network', 'zone', 'github-level', 'github-credentials', 'kibana-credentials'].map((name) =>
  readFileSync(new URL(`../props/${name}.ts`, import.meta.url), 'utf8'),
);

describe.each([
  ['RunnerFleetProps', 'runner-fleet', runnerFleetFields, runnerFleetNames],
  ['SearchClusterProps', 'search-cluster', searchClusterFields, searchClusterNames],
  ['SearchUiProps', 'search-ui', searchUiFields, searchUiNames],
] as const)('the TSDoc of %s', (_name, folder, fields: Fields, names: Names) => {
  const docs = inputDocs(folder);

  it.each(Object.entries<Field<unknown>>(fields).filter(([key]) => !(key in names)))(
    'TSDoc of %s has the meaning, the allowed values and @default of the input table',
    (key, field) => {
      expect(docs.get(camelCase(key))).toEqual(expectedDoc(fields, names, field));
    },
  );

  it.each(Object.keys(names))('TSDoc of the maker for %s has the allowed values of the input table', (key) => {
    const { allowed } = fields[key]!;

    expect(makers.filter((text) => text.includes(`Allowed: ${allowed}`))).not.toEqual([]);
  });
});
