import { inUseLabel, redeploymentEnvironment } from '@drover/core/names/search-cluster';
import { Duration, Names } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { ModuleFunction } from '../module-function.ts';
import { allow } from '../statements.ts';
import type { UiService } from './service.ts';
import type { SearchUiSettings } from './settings.ts';

type UiLogin = SearchUiSettings['login'];

/**
 * Redeploys the service when its secret changes: checks every minute whether that was after the last deployment (docs/decisions/0007).
 * Where the tasks log in with a token, it says by a label of its own which one all of them have (docs/decisions/0115).
 */
export class UiRedeployment extends Construct {
  readonly functionName: string;

  constructor(scope: Construct, id: string, { cluster, service }: UiService, login: UiLogin, logKey: Key) {
    super(scope, id);
    const { secretId: secretArn, isToken } = login;
    const label = inUseLabel(service.attrName);
    this.functionName = Names.uniqueResourceName(this, { maxLength: 64 });
    const { fn } = new ModuleFunction(this, 'Pass', {
      functionName: this.functionName,
      bundle: 'apps/functions/dist/web-ui-redeployment',
      environment: {
        [redeploymentEnvironment.cluster]: cluster.ref,
        [redeploymentEnvironment.service]: service.attrName,
        [redeploymentEnvironment.secret]: secretArn,
        ...(isToken ? { [redeploymentEnvironment.label]: label } : {}),
      },
      statements: [
        allow(['ecs:DescribeServices', 'ecs:UpdateService'], [service.ref]),
        allow(['secretsmanager:DescribeSecret'], [secretArn]),
        ...(isToken
          ? [
              allow(['secretsmanager:UpdateSecretVersionStage'], [secretArn], {
                StringEquals: { 'secretsmanager:VersionStage': label },
              }),
            ]
          : []),
      ],
      logKey,
      // The next minute's invocation does the work again.
      retryAttempts: 0,
    });
    new Rule(this, 'EveryMinute', {
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new LambdaFunction(fn, { retryAttempts: 0 })],
    });
  }
}
