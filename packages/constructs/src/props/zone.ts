import type { IHostedZone } from 'aws-cdk-lib/aws-route53';

/**
 * The Route 53 hosted zone of a construct's addresses.
 *
 * @example
 * ```ts
 * Zone.fromIds('Z0123456789ABCDEFGHIJ', 'search.example.com');
 * ```
 */
export class Zone {
  /** Id of the hosted zone. */
  readonly zoneId: string;
  /** Domain name of the hosted zone. */
  readonly zoneName: string;

  /** A hosted zone of the app. */
  static fromHostedZone(hostedZone: IHostedZone): Zone {
    return new Zone(hostedZone.hostedZoneId, hostedZone.zoneName);
  }

  /**
   * A hosted zone that is known by its id.
   *
   * @param zoneId - id of the Route 53 hosted zone of the addresses. Allowed: the id of a hosted zone (Z…)
   * @param zoneName - domain name of the hosted zone. Allowed: a domain in lower case without a dot at its end, e.g. search.example.com
   */
  static fromIds(zoneId: string, zoneName: string): Zone {
    return new Zone(zoneId, zoneName);
  }

  private constructor(zoneId: string, zoneName: string) {
    this.zoneId = zoneId;
    this.zoneName = zoneName;
  }
}

/** The inputs that a zone stands for. */
export type ZoneInputs = Pick<Zone, 'zoneId' | 'zoneName'>;

/** Names of these inputs in messages about props. */
export const zoneNames = { zone_id: 'zone.zoneId', zone_name: 'zone.zoneName' } as const;

export const zoneInputs = (zone: Zone | undefined): Partial<ZoneInputs> => ({
  zoneId: zone?.zoneId,
  zoneName: zone?.zoneName,
});
