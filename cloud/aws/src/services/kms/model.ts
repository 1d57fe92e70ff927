import { AwsError } from '../../account/errors.ts';

export interface Key {
  readonly id: string;
  readonly arn: string;
  readonly createdAt: number;
  description: string;
  state: 'Enabled' | 'Disabled' | 'PendingDeletion';
  deletionAt?: number;
  policy: string;
  rotation: boolean;
  tags: Record<string, string>;
}

export const keyNotFound = (id: string) => new AwsError('NotFoundException', `Key '${id}' does not exist`);
export const validation = (message: string) => new AwsError('ValidationException', message);
