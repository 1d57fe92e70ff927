import { camelCase, inheritedInputs } from '@drover/constructs/reference';
import { TerminalError } from '@drover/core';
import { defaultType } from '@drover/core/names/runner-fleet';
import type { FleetInputs } from '@drover/observation/observed-inputs';

/** Of a file without subnets. */
const subnets = 2;

/** The inputs of one type as those of a fleet of its own. A file with types has to be asked about one of them. */
export function inputsOfType(file: string, given: FleetInputs, type: string | undefined): FleetInputs {
  const { types = {}, ...fleet } = given as FleetInputs & { readonly types?: Readonly<Record<string, FleetInputs>> };
  const known = [defaultType, ...Object.keys(types)];
  if (known.length === 1 && (type ?? defaultType) === defaultType) return given;
  if (type === undefined)
    throw new TerminalError(`${file} has types, and each scales by itself`, {
      remedy: `ask for one with --type: ${known.join(', ')}`,
    });
  if (!known.includes(type))
    throw new TerminalError(`${file} has no type ${type}`, { remedy: `its types are ${known.join(', ')}` });
  if (type === defaultType) return fleet;
  const least = Array.isArray(fleet.subnet_ids) ? fleet.subnet_ids.length : subnets;
  const settings = {
    architecture: fleet.architecture === 'arm64' ? 'arm64' : 'x86_64',
    asgMaxSize: Number(fleet.asg_max_size ?? Number(fleet.asg_min_size ?? least) + 1),
    groupName: String(fleet.group_name ?? 'runners'),
  } as const;
  const whole = inheritedInputs(renamed(fleet, camelCase) as never, settings, renamed(types[type]!, camelCase), type);
  return renamed(whole, snakeCase);
}

/** An input that is undefined is left out, as a file leaves it out. */
const renamed = (inputs: object, rename: (key: string) => string): FleetInputs =>
  Object.fromEntries(
    Object.entries(inputs).flatMap(([key, value]) => (value === undefined ? [] : [[rename(key), value]])),
  );

const snakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
