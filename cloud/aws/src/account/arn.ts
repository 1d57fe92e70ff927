/** ARNs of the account and region that a world simulates. */
export interface ArnScope {
  readonly accountId: string;
  readonly region: string;
}

/** `arn:aws:<service>:<region>:<account>:<resource>` */
export const arn = (scope: ArnScope, service: string, resource: string): string =>
  `arn:aws:${service}:${scope.region}:${scope.accountId}:${resource}`;

/** `arn:aws:<service>::<account>:<resource>`, for services without a region. */
export const globalArn = (scope: ArnScope, service: string, resource: string): string =>
  `arn:aws:${service}::${scope.accountId}:${resource}`;
