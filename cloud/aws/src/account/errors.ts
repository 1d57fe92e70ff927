/** An error as an AWS service returns it: its real code, message and HTTP status. */
export class AwsError extends Error {
  /** The code on the wire, e.g. `ValidationError` or `ResourceNotFoundException`. */
  readonly code: string;
  readonly status: number;
  /** Modelled members beside the message. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, status = 400, members: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = code;
    this.code = code;
    this.status = status;
    this.members = members;
  }
}

export const notImplemented = (service: string, operation: string): AwsError =>
  new AwsError('NotImplemented', `the embedded cloud does not model ${service}:${operation}`, 501);

export const throttled = (): AwsError => new AwsError('ThrottlingException', 'Rate exceeded', 400);

/** Why a provider could not make, change or remove a resource, in the words that the stack's event shall have. */
export class ResourceFailure extends Error {
  /** Set when something came into being all the same, so that a rollback removes it. */
  readonly physicalId: string | undefined;

  constructor(reason: string, physicalId?: string) {
    super(reason);
    this.physicalId = physicalId;
  }
}

/**
 * The name of a new resource, unless something has it: a stack never takes over what exists, also where the service's
 * own API would overwrite it. (CloudFormation User Guide, "Troubleshooting": already exists.)
 */
export function freeName(type: string, name: string, taken: boolean): string {
  if (taken) throw new ResourceFailure(`Resource of type '${type}' with identifier '${name}' already exists.`);
  return name;
}
