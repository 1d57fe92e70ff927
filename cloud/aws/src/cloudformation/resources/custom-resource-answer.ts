import { ResourceFailure } from '../errors.ts';

/** The response of a custom resource that succeeded. */
export interface CustomAnswer {
  readonly physicalId: string;
  /** For `Fn::GetAtt`. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Members that a response must repeat from its request. */
interface ExpectedAnswer {
  readonly requestId: string;
  readonly stackId: string;
  readonly logicalId: string;
  /** Used for a failure that names no physical id. */
  readonly fallbackId: string;
}

/** User Guide, "Custom resource request and response reference". */
const maxBytes = 4096;

/** Reads a response; throws if it reports a failure or is malformed. */
export function readAnswer(text: string, expected: ExpectedAnswer): CustomAnswer {
  const fail = (reason: string, physicalId = expected.fallbackId) => new ResourceFailure(reason, physicalId);
  if (Buffer.byteLength(text) > maxBytes) throw fail('Response object is too long.');
  const answer = parse(text);
  if (answer === undefined) throw fail('Invalid Response object: Value of Status property is empty or invalid');
  const physicalId = typeof answer.PhysicalResourceId === 'string' ? answer.PhysicalResourceId : undefined;
  if (answer.Status === 'FAILED')
    throw fail(
      `Received response status [FAILED] from custom resource. Message returned: ${String(answer.Reason)} (RequestId: ${expected.requestId})`,
      physicalId,
    );
  if (answer.Status !== 'SUCCESS')
    throw fail('Invalid Response object: Value of Status property is empty or invalid', physicalId);
  for (const [member, value] of Object.entries(repeated(expected)))
    if (answer[member] !== value)
      throw fail(`Invalid Response object: Value of ${member} property is invalid`, physicalId);
  if (physicalId === undefined || physicalId === '')
    throw fail('Invalid PhysicalResourceId: a SUCCESS response must contain it');
  return { physicalId, data: isObject(answer.Data) ? answer.Data : {} };
}

const repeated = ({ requestId, stackId, logicalId }: ExpectedAnswer) => ({
  StackId: stackId,
  RequestId: requestId,
  LogicalResourceId: logicalId,
});

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
