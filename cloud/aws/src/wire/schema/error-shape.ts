import type { AwsError } from '../../account/errors.ts';
import type { NormalizedSchema } from './sdk-schemas.ts';
import { type ErrorModel, members, type ServiceModel } from './service-model.ts';

/** An error as it goes out: named by the service's schema where it is modelled there. */
export interface ErrorShape {
  /** Code of JSON and REST protocols. */
  readonly name: string;
  /** Code of Query protocols. */
  readonly queryCode: string;
  readonly qualifiedName: string;
  readonly status: number;
  readonly fault: 'Sender' | 'Receiver';
  /** The name under which the message travels. */
  readonly messageMember: string;
  /** Modelled members beside the message. */
  readonly members: readonly (readonly [name: string, schema: NormalizedSchema, value: unknown])[];
}

/** Looks the error's code up in the service's schema, by shape name or by Query code. */
export function errorShape(error: AwsError, model: ServiceModel | undefined): ErrorShape {
  const modelled = model?.errors.get(error.code);
  // A model that says nothing of the status means the documented one.
  const status = modelled !== undefined && error.status === 400 ? modelled.status : error.status;
  return {
    name: modelled?.name ?? error.code,
    queryCode: modelled?.queryCode ?? error.code,
    qualifiedName: modelled?.qualifiedName ?? error.code,
    status,
    fault: status < 500 ? 'Sender' : 'Receiver',
    messageMember: modelled === undefined ? 'message' : messageMember(modelled),
    members: modelled === undefined ? [] : otherMembers(modelled, error.members),
  };
}

const messageMember = (error: ErrorModel): string =>
  members(error.schema).find(([name]) => name.toLowerCase() === 'message')?.[0] ?? 'message';

function otherMembers(error: ErrorModel, values: Readonly<Record<string, unknown>>): ErrorShape['members'] {
  return members(error.schema)
    .filter(([name]) => values[name] !== undefined && name.toLowerCase() !== 'message')
    .map(([name, schema]) => [name, schema, values[name]]);
}
