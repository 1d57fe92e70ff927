import { invalidParameter, type SecretContent } from '../model.ts';

/** Bytes that a value may have. (User Guide, "Secrets Manager quotas".) */
const valueLimit = 65_536;

/** The value that a request carries, or undefined. */
export function contentOf(input: {
  SecretString?: string | undefined;
  SecretBinary?: Uint8Array | undefined;
}): SecretContent | undefined {
  const { SecretString, SecretBinary } = input;
  if (SecretString !== undefined && SecretBinary !== undefined)
    throw invalidParameter(
      "You can't specify both a binary secret value and a string secret value in the same secret.",
    );
  const size = SecretBinary?.length ?? Buffer.byteLength(SecretString ?? '');
  if (size > valueLimit)
    throw invalidParameter(`The secret value has ${size} bytes; at most ${valueLimit} bytes are allowed.`);
  if (SecretString !== undefined) return { SecretString };
  return SecretBinary === undefined ? undefined : { SecretBinary };
}
