import { type Contradiction, checkInputs, InputError, type InputSource, type NameOf } from './check-inputs.ts';
import { type Camel, camelCase, type Fields } from './fields.ts';
import { readMap } from './read-map.ts';

/** Rules of a construct for its inputs. */
export interface InputRules<Props extends object, Inputs extends object, Settings extends object> {
  /** How messages call the construct: `the runner fleet`. */
  readonly title: string;
  readonly fields: Fields;
  /** How messages about props call each input that an object of a required prop stands for. */
  readonly names: Readonly<Record<string, string>>;
  /** Inputs by ids and texts alone, from the objects of props. */
  toInputs(props: Props): object;
  /** Props with such objects, from inputs that were checked. */
  toProps(inputs: Inputs): Props;
  /** Settings are what the construct is built from: the inputs with every default filled in. */
  withDefaults(inputs: Inputs, name: NameOf): Settings;
  /** Inputs that are valid one by one, but not together. */
  contradictions(inputs: Inputs, settings: Settings, name: NameOf): readonly Contradiction[];
}

/**
 * The one way from inputs to settings, for props and for files: check each input, fill in defaults, check all together.
 * Props that were read from a file are not checked again by the constructor; a changed copy of them is.
 */
export class ConstructInputs<Props extends object, Inputs extends object, Settings extends object> {
  readonly #rules: InputRules<Props, Inputs, Settings>;
  readonly #fromFiles = new WeakMap<Props, Settings>();

  constructor(rules: InputRules<Props, Inputs, Settings>) {
    this.#rules = rules;
  }

  /** Props from a YAML or JSON file; problems are named by the file's keys. */
  read(file: string): Props {
    const { title } = this.#rules;
    const map = readMap(file);
    if ('problem' in map) throw new InputError(title, [{ key: file, ...map }]);
    const source = { title: `${title} (${file})`, key: sameKey, name: sameKey };
    const { inputs, settings } = this.#check(source, map.inputs);
    const props = Object.freeze(this.#rules.toProps(inputs));
    this.#fromFiles.set(props, settings);
    return props;
  }

  /** Settings from props; problems are named by the props. */
  settings(props: Props): Settings {
    const checked = this.#fromFiles.get(props);
    if (checked !== undefined) return checked;
    const { title, names, toInputs } = this.#rules;
    const misplaced = Object.keys(names).filter((key) => Object.hasOwn(props, camelCase(key)));
    if (misplaced.length > 0)
      throw new InputError(
        title,
        misplaced.map((key) => ({
          key: camelCase(key),
          problem: 'it is a key of configuration files, and no prop',
          remedy: `Give ${names[key]}`,
        })),
      );
    const source = { title, key: camelCase, name: (key: string) => names[key] ?? camelCase(key) };
    return this.#check(source, given(toInputs(props))).settings;
  }

  #check(source: InputSource, written: Readonly<Record<string, unknown>>) {
    const { fields, withDefaults, contradictions } = this.#rules;
    // The type test of each construct's inputs shows that its table gives exactly these.
    const inputs = Object.freeze(checkInputs(source, fields, written)) as Inputs;
    const settings = withDefaults(inputs, source.name);
    const problems = contradictions(inputs, settings, source.name).filter((found) => found !== undefined);
    if (problems.length > 0) throw new InputError(source.title, problems);
    return { inputs, settings };
  }
}

/** The members that are not undefined. */
export const given = (inputs: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(inputs).filter(([, value]) => value !== undefined));

/** Inputs without those that an object stands for, by the table of their names. */
export function without<Inputs extends object, Names extends object>(inputs: Inputs, names: Names) {
  const left = Object.entries(inputs).filter(([prop]) => !Object.keys(names).some((key) => camelCase(key) === prop));
  return Object.fromEntries(left) as Omit<Inputs, Camel<keyof Names & string>>;
}

const sameKey = (key: string) => key;
