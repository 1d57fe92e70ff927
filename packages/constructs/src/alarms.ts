import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';

/** One alarm. Its description says what to do about it. */
export interface AlarmRule {
  readonly name: string;
  readonly description: string;
  readonly metric: IMetric;
  /** @default greater than the threshold */
  readonly operator?: ComparisonOperator;
  /** @default 0 */
  readonly threshold?: number;
  /** Number of consecutive periods of the metric. @default 1 */
  readonly periods?: number;
  /** @default missing data is no reason for an alarm */
  readonly missing?: TreatMissingData;
  /** Also report a metric that falls silent, instead of `missing`: one that has not begun yet is no reason. @default false */
  readonly reportsSilence?: boolean;
}

export interface AlarmReceivers {
  readonly alarmEmails?: readonly string[] | undefined;
  readonly alarmTopicArns?: readonly string[] | undefined;
}

/** The alarms of a construct, and the topic that receives each of them. */
export class ModuleAlarms extends Construct {
  readonly topic: Topic;
  readonly alarms: readonly Alarm[];

  constructor(
    scope: Construct,
    id: string,
    receivers: AlarmReceivers,
    rules: readonly AlarmRule[],
    key: Key | undefined,
  ) {
    super(scope, id);
    key?.grantEncryptDecrypt(new ServicePrincipal('cloudwatch.amazonaws.com'));
    this.topic = new Topic(this, 'Topic', { ...(key === undefined ? {} : { masterKey: key }), enforceSSL: true });
    // An alarm cannot publish to a topic with AWS's own key (CloudWatch User Guide, "Amazon SNS encryption").
    if (key === undefined)
      acknowledge(this.topic, { SNS2: 'names and states of alarms; an input asks for no key of its own' });
    // A policy of our own replaces the topic's default one, which lets the account's alarms publish.
    this.topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com'));
    for (const address of receivers.alarmEmails ?? []) this.topic.addSubscription(new EmailSubscription(address));
    const topics: ITopic[] = [
      this.topic,
      ...(receivers.alarmTopicArns ?? []).map((arn, index) => Topic.fromTopicArn(this, `Given${index}`, arn)),
    ];
    this.alarms = rules.map((rule) => this.#alarm(rule, topics));
  }

  #alarm(rule: AlarmRule, topics: readonly ITopic[]): Alarm {
    // An id holds no token.
    const alarm = new Alarm(this, rule.name.replaceAll(/\$\{Token.*?\}/g, ''), {
      alarmName: rule.name,
      alarmDescription: rule.description,
      metric: rule.metric,
      comparisonOperator: rule.operator ?? ComparisonOperator.GREATER_THAN_THRESHOLD,
      threshold: rule.threshold ?? 0,
      evaluationPeriods: rule.periods ?? 1,
      treatMissingData: rule.reportsSilence
        ? TreatMissingData.MISSING
        : (rule.missing ?? TreatMissingData.NOT_BREACHING),
    });
    for (const topic of topics) {
      alarm.addAlarmAction(new SnsAction(topic));
      alarm.addOkAction(new SnsAction(topic));
      // An alarm begins without data: only one that had some can lose it.
      if (rule.reportsSilence) alarm.addInsufficientDataAction(new SnsAction(topic));
    }
    return alarm;
  }
}
