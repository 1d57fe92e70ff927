import { AwsError } from '../../account/errors.ts';

export interface Key {
  readonly id: string;
  readonly arn: string;
  readonly createdAt: number;
  /** 32 bytes that never leave the service. */
  readonly secret: Uint8Array;
  description: string;
  state: 'Enabled' | 'Disabled' | 'PendingDeletion';
  deletionAt?: number;
  policy: string;
  rotation: boolean;
  tags: Record<string, string>;
}

export const keyNotFound = (id: string) => new AwsError('NotFoundException', `Key '${id}' does not exist`);
export const invalidCiphertext = () => new AwsError('InvalidCiphertextException', '');
export const validation = (message: string) => new AwsError('ValidationException', message);

/** Only an enabled key can be used. (Developer Guide, "Key states of AWS KMS keys".) */
export function requireUsable(key: Key): void {
  if (key.state === 'Disabled') throw new AwsError('DisabledException', `${key.arn} is disabled.`);
  if (key.state === 'PendingDeletion')
    throw new AwsError('KMSInvalidStateException', `${key.arn} is pending deletion.`);
}
