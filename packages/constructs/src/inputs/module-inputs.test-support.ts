import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { inputDocs, type ModuleFolder } from '../../../../scripts/docs/input-docs.ts';
import { InputError } from './check-inputs.ts';
import { camelCase, type Field, type FieldKind, type Fields } from './fields.ts';

export type Inputs = Readonly<Record<string, unknown>>;

/** The contradiction, the inputs, the key of the problem, what its problem and remedy mention, and whether only a file can have it. */
export type Contradiction = [title: string, inputs: Inputs, key: string, words: readonly string[], form?: 'file'];

export interface ModuleInputs {
  /** As in "the inputs of a runner fleet". */
  readonly title: string;
  readonly folder: ModuleFolder;
  readonly fields: Fields;
  readonly valid: Inputs;
  /** Of the right kind, but invalid for this input. An input that takes any text or number of its kind is not here. */
  readonly wrongForOne: Readonly<Record<string, readonly unknown[]>>;
  /** Inputs that go with others than those of `valid`. */
  readonly beside?: Readonly<Record<string, Inputs>>;
  readonly contradictions: readonly Contradiction[];
  /** How messages about props call inputs that objects stand for. */
  readonly names: Readonly<Record<string, string>>;
  readConfiguration(file: string): unknown;
  /** From inputs in camelCase. */
  construct(stack: Stack, inputs: Inputs): void;
  /** Such inputs with their defaults filled in. */
  settled(inputs: Inputs): Inputs;
}

/** A file with some text, read as a module's configuration. */
export function configurationFile(readConfiguration: ModuleInputs['readConfiguration']) {
  const folder = mkdtempSync(join(tmpdir(), 'drover-inputs-'));
  const file = join(folder, 'module.yaml');
  const read = (text: string) => {
    writeFileSync(file, text);
    return readConfiguration(file);
  };
  return { folder, file, read };
}

export function problemsOf(give: () => unknown): InputError {
  try {
    give();
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

/** Values that no input of a kind may have. */
const wrongKinds: Readonly<Record<FieldKind, readonly unknown[]>> = {
  text: [1.5, true, '', null, ['a'], { a: 'b' }],
  number: ['3', 2.5, Number.NaN, true, [1], { a: 1 }],
  flag: ['true', 1, null, [true]],
  list: ['text', 1, null, { a: 'b' }, [''], [1], [null]],
  map: ['text', 1, null, ['a'], { a: 1 }, { '': 'a' }],
};

const ranges = ['10.0.0.0', '10.0.0.0/33', '10.0.0.1/16', '256.0.0.0/8', 'anywhere'];

/** Wrong for inputs that several modules have. */
const wrongForSeveral: Readonly<Record<string, readonly unknown[]>> = {
  environment: ['two words', 'x'.repeat(33), 'prod!'],
  vpc_id: ['subnet-1', 'vpc-'],
  subnet_ids: [['vpc-1'], ['subnet-1', '']],
  zone_id: ['example.com', 'z012'],
  zone_name: ['example', 'example.com.', 'Example.com', '-a.example.com', 'https://example.com'],
  vpc_cidr_block: ranges,
  load_balancer_scheme: ['public'],
  load_balancer_subnet_ids: [['vpc-1']],
  allowed_cidr_blocks: ranges.map((range) => [range]),
  client_security_group_ids: [['subnet-1'], ['sg-']],
  certificate_arn: ['arn:aws:iam::123456789012:server-certificate/x'],
  access_logs_bucket: ['Logs', 'a', 's3://logs'],
  architecture: ['amd64', 'ARM64'],
  ami_id: ['ubuntu', 'ami-'],
  packages: [['two words'], ['--force']],
  puppet_package: ['two words', '--force', 'Puppet'],
  puppet_hiera_config_path: ['hiera.yaml', '/opt/a b'],
  puppet_module_path: ['modules'],
  puppet_manifest: ['site.pp'],
  extra_files: [{ 'etc/motd': 'hello' }],
  extra_repos: [{ 'two words': 'deb' }],
  extra_policies: [['AdministratorAccess'], ['arn:aws:iam::123456789012:role/x']],
  alarm_emails: [['ops'], ['a@b@c']],
  alarm_topic_arns: [['arn:aws:sqs:eu-west-1:123456789012:queue']],
  tags: [{ 'aws:x': 'y' }, { 'AWS:x': 'y' }, { ['k'.repeat(129)]: 'y' }],
};

function wrongValues(module: ModuleInputs, key: string, field: Field<unknown>): unknown[] {
  const { range, kind } = field;
  return [
    ...wrongKinds[kind],
    ...(range === undefined ? [] : [range.least - 1, range.most + 1]),
    ...(field.meaning !== undefined && kind === 'list' ? [[]] : []),
    ...(module.wrongForOne[key] ?? wrongForSeveral[key] ?? []),
  ];
}

/** Inputs in camelCase. */
export const asProps = (inputs: Inputs): Inputs =>
  Object.fromEntries(Object.entries(inputs).map(([key, value]) => [camelCase(key), value]));

/** Defaults that the reference gives as a value; others it describes, e.g. `asgMinSize + 1`. */
const literalDefaults = ({ folder, fields }: ModuleInputs) => {
  const docs = inputDocs(folder);
  return Object.entries<Field<unknown>>(fields).flatMap(([key, field]) => {
    const { default: written = 'none' } = docs.get(camelCase(key))!;
    const value = written === 'none' ? undefined : field.parse(parse(written));
    return value === undefined ? [] : [[key, value] as const];
  });
};

/** Both forms of inputs: a file with keys in snake_case, and props. */
const formsOf = (module: ModuleInputs) => {
  const { read } = configurationFile(module.readConfiguration);
  return {
    file: {
      spelt: (key: string) => key,
      name: (key: string) => key,
      give: (inputs: Inputs) => void read(stringify(inputs)),
    },
    props: {
      spelt: camelCase,
      name: (key: string) => module.names[key] ?? camelCase(key),
      give: (inputs: Inputs) => {
        module.construct(new Stack(new App(), 'stack'), asProps(inputs));
      },
    },
  };
};

/** Registers the tests that every module's inputs have in common: each input wrong in each way, in both forms. */
export function testModuleInputs(module: ModuleInputs): void {
  const { valid, contradictions } = module;
  const entries = Object.entries<Field<unknown>>(module.fields);

  describe.each(Object.entries(formsOf(module)))(
    `the inputs of ${module.title} as %s`,
    (form, { spelt, name, give }) => {
      it.each(entries)('every invalid %s is refused with the key, the value and what is allowed', (key, field) => {
        for (const value of wrongValues(module, key, field)) {
          const { problems, message } = problemsOf(() => give({ ...valid, ...module.beside?.[key], [key]: value }));

          expect(problems.map((problem) => problem.key)).toEqual([name(key)]);
          const written = typeof value === 'number' ? String(value) : JSON.stringify(value);
          expect(message).toContain(`${name(key)}: ${written.slice(0, 100)}`);
          expect(message).toContain(`is not allowed. Give ${field.allowed}`);
        }
      });

      it.each(entries.filter(([, { meaning }]) => meaning !== undefined))(
        'a missing %s is refused with its meaning',
        (key, field) => {
          const { [key]: _, ...rest } = valid;
          const { problems } = problemsOf(() => give(rest));

          expect(problems).toEqual([
            { key: name(key), problem: 'it is missing', remedy: `Give ${field.allowed}: ${field.meaning}` },
          ]);
        },
      );

      it.each(entries)('a misspelt %s is refused with the right spelling', (key) => {
        const { problems } = problemsOf(() => give({ ...valid, [`${key}x`]: 1 }));

        expect(problems).toEqual([
          { key: `${spelt(key)}x`, problem: 'there is no such input', remedy: `Did you mean ${name(key)}?` },
        ]);
      });

      it('an unknown input that resembles none is refused with a link to the reference', () => {
        const { problems } = problemsOf(() => give({ ...valid, colour: 'red' }));

        expect(problems[0]?.remedy).toBe('docs/CONFIGURATION.md lists the inputs');
      });

      it('several problems are all listed in one error', () => {
        const { problems, message } = problemsOf(() => give({ ...valid, environment: '', vpc_id: -1, colour: 1 }));

        expect(problems.map(({ key }) => key).sort()).toEqual(['colour', 'environment', name('vpc_id')]);
        expect(message).toMatch(/has 3 problems:\n/);
      });

      it.each(contradictions.filter(([, , , , only = form]) => only === form))(
        'contradiction: %s',
        (_title, changes, key, words) => {
          const { problems } = problemsOf(() => give({ ...valid, ...changes }));

          expect(problems.map((problem) => problem.key)).toEqual([name(key)]);
          for (const word of words) expect(`${problems[0]?.problem}. ${problems[0]?.remedy}`).toContain(name(word));
        },
      );
    },
  );

  describe(`the defaults of ${module.title}`, () => {
    it.each(literalDefaults(module))('the default of %s is %j, as the reference says', (key, value) => {
      expect(module.settled(asProps(valid))[camelCase(key)]).toEqual(value);
    });
  });
}
