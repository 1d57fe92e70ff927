import { checkInputs, InputError, type InputProblem, type InputSource, type NameOf } from './check-inputs.ts';
import { camelCase, type Fields } from './fields.ts';
import { readMap } from './read-map.ts';

/** Rules of a construct for its inputs. */
export interface InputRules<Props extends object, Settings extends object> {
  /** How messages call the construct: `the runner fleet`. */
  readonly title: string;
  readonly fields: Fields;
  /** Settings are what the construct is built from: the inputs with every default filled in. */
  withDefaults(inputs: Props, name: NameOf): Settings;
  /** Inputs that are valid one by one, but not together. */
  contradictions(inputs: Props, settings: Settings, name: NameOf): InputProblem[];
}

/**
 * The one way from inputs to settings, for props and for files: check each input, fill in defaults, check all together.
 * Props that were read from a file are not checked again by the constructor; a changed copy of them is.
 */
export class ConstructInputs<Props extends object, Settings extends object> {
  readonly #rules: InputRules<Props, Settings>;
  readonly #fromFiles = new WeakMap<Props, Settings>();

  constructor(rules: InputRules<Props, Settings>) {
    this.#rules = rules;
  }

  /** Props from a YAML or JSON file; problems are named by the file's keys. */
  read(file: string): Props {
    const { title } = this.#rules;
    const map = readMap(file);
    if ('problem' in map) throw new InputError(title, [{ key: file, ...map }]);
    const { inputs, settings } = this.#check({ title: `${title} (${file})`, name: (key) => key }, map.inputs);
    this.#fromFiles.set(inputs, settings);
    return inputs;
  }

  /** Settings from props; problems are named by the props. */
  settings(props: Props): Settings {
    const checked = this.#fromFiles.get(props);
    if (checked !== undefined) return checked;
    const given = Object.fromEntries(Object.entries(props).filter(([, value]) => value !== undefined));
    return this.#check({ title: this.#rules.title, name: camelCase }, given).settings;
  }

  #check(source: InputSource, given: Readonly<Record<string, unknown>>) {
    const { fields, withDefaults, contradictions } = this.#rules;
    // The type test of each construct's props shows that its table gives exactly these.
    const inputs = Object.freeze(checkInputs(source, fields, given)) as Props;
    const settings = withDefaults(inputs, source.name);
    const problems = contradictions(inputs, settings, source.name);
    if (problems.length > 0) throw new InputError(source.title, problems);
    return { inputs, settings };
  }
}
