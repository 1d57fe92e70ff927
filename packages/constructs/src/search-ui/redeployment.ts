import { redeploymentEnvironment } from '@drover/core/names/search-cluster';
import { Duration, Names } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { ModuleFunction } from '../module-function.ts';
import { allow } from '../statements.ts';
import type { UiService } from './service.ts';

/** Redeploys the service when its secret changes: checks every minute whether that was after the last deployment (docs/decisions/0007). */
export class UiRedeployment extends Construct {
  readonly functionName: string;

  constructor(scope: Construct, id: string, { cluster, service }: UiService, secretArn: string, logKey: Key) {
    super(scope, id);
    this.functionName = Names.uniqueResourceName(this, { maxLength: 64 });
    const { fn } = new ModuleFunction(this, 'Pass', {
      functionName: this.functionName,
      bundle: 'apps/functions/dist/web-ui-redeployment',
      environment: {
        [redeploymentEnvironment.cluster]: cluster.ref,
        [redeploymentEnvironment.service]: service.attrName,
        [redeploymentEnvironment.secret]: secretArn,
      },
      statements: [
        allow(['ecs:DescribeServices', 'ecs:UpdateService'], [service.ref]),
        allow(['secretsmanager:DescribeSecret'], [secretArn]),
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
