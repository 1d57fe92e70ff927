const hook = (name: string, transition: 'LAUNCHING' | 'TERMINATING') => ({
  LifecycleHookName: name,
  LifecycleTransition: `autoscaling:EC2_INSTANCE_${transition}`,
  HeartbeatTimeout: 300,
  DefaultResult: 'ABANDON',
});

/** A template with what a fleet is made of, each once. */
export const storyTemplate = {
  AWSTemplateFormatVersion: '2010-09-09',
  Parameters: {
    Image: {
      Type: 'AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>',
      Default: '/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64',
    },
  },
  Resources: {
    Role: {
      Type: 'AWS::IAM::Role',
      Properties: {
        AssumeRolePolicyDocument: {
          Version: '2012-10-17',
          Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } }],
        },
        ManagedPolicyArns: ['arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole'],
      },
    },
    Function: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        FunctionName: 'story-function',
        Runtime: 'nodejs22.x',
        Handler: 'index.handler',
        Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
        Code: { ZipFile: "exports.handler = async () => ({ told: 'a story' });" },
      },
    },
    Template: {
      Type: 'AWS::EC2::LaunchTemplate',
      Properties: { LaunchTemplateData: { ImageId: { Ref: 'Image' }, InstanceType: 't3.nano' } },
    },
    Group: {
      Type: 'AWS::AutoScaling::AutoScalingGroup',
      Properties: {
        AutoScalingGroupName: 'story',
        MinSize: '0',
        MaxSize: '3',
        DesiredCapacity: '1',
        AvailabilityZones: { 'Fn::GetAZs': '' },
        LaunchTemplate: {
          LaunchTemplateId: { Ref: 'Template' },
          Version: { 'Fn::GetAtt': ['Template', 'LatestVersionNumber'] },
        },
        LifecycleHookSpecificationList: [hook('launch', 'LAUNCHING'), hook('end', 'TERMINATING')],
      },
    },
    Policy: {
      Type: 'AWS::AutoScaling::ScalingPolicy',
      Properties: {
        AutoScalingGroupName: { Ref: 'Group' },
        PolicyType: 'StepScaling',
        AdjustmentType: 'ChangeInCapacity',
        EstimatedInstanceWarmup: 60,
        StepAdjustments: [
          { MetricIntervalLowerBound: 0, MetricIntervalUpperBound: 10, ScalingAdjustment: 1 },
          { MetricIntervalLowerBound: 10, ScalingAdjustment: 2 },
        ],
      },
    },
    Alarm: {
      Type: 'AWS::CloudWatch::Alarm',
      Properties: {
        AlarmName: 'story-waiting',
        Namespace: 'Story',
        MetricName: 'Waiting',
        Statistic: 'Maximum',
        Period: 60,
        EvaluationPeriods: 1,
        Threshold: 10,
        ComparisonOperator: 'GreaterThanThreshold',
        TreatMissingData: 'notBreaching',
        AlarmActions: [{ Ref: 'Policy' }],
      },
    },
  },
  Outputs: { GroupName: { Value: { Ref: 'Group' } } },
};
