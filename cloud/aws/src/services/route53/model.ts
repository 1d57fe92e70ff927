import { AwsError } from '../../account/errors.ts';

export interface RecordSet {
  /** With the dot at its end, in lower case. */
  readonly name: string;
  readonly type: string;
  readonly ttl: number | undefined;
  readonly values: readonly string[];
  readonly alias:
    | { readonly dnsName: string; readonly hostedZoneId: string; readonly evaluateHealth: boolean }
    | undefined;
}

export interface HostedZone {
  readonly id: string;
  readonly name: string;
  readonly comment: string;
  readonly privateZone: boolean;
  /** By name and type. */
  readonly records: Map<string, RecordSet>;
}

/** Names are not case-sensitive and end with a dot. */
export const fullyQualified = (name: string): string => `${name.toLowerCase().replace(/\.$/, '')}.`;

export const recordKey = ({ name, type }: Pick<RecordSet, 'name' | 'type'>): string => `${name} ${type}`;

export const noZone = (id: string) => new AwsError('NoSuchHostedZone', `No hosted zone found with ID: ${id}`, 404);
export const invalidChange = (message: string) => new AwsError('InvalidChangeBatch', `[${message}]`);
