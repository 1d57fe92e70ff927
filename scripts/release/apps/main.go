// The app of app.ts in Go.
package main

import (
	drover "drover/droverconstructs"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsec2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsroute53"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"
	"github.com/aws/jsii-runtime-go"
)

func main() {
	defer jsii.Close()
	text, number := jsii.String, jsii.Number[float64]
	alarm := func(periods float64) *awscloudwatch.CreateAlarmOptions {
		return &awscloudwatch.CreateAlarmOptions{Threshold: number(1), EvaluationPeriods: number(periods)}
	}

	app := awscdk.NewApp(&awscdk.AppProps{Outdir: text("cdk.out"), AnalyticsReporting: jsii.Bool(false)})
	network := awscdk.NewStack(app, text("network"), nil)
	vpc := awsec2.NewVpc(network, text("Vpc"), &awsec2.VpcProps{
		AvailabilityZones:            jsii.Strings("eu-west-1a", "eu-west-1b", "eu-west-1c"),
		NatGateways:                  number(1),
		RestrictDefaultSecurityGroup: jsii.Bool(false),
	})
	hostedZone := awsroute53.NewPublicHostedZone(network, text("Zone"), &awsroute53.PublicHostedZoneProps{
		ZoneName: text("search.example.com"),
	})

	runners := awscdk.NewStack(app, text("runners"), nil)
	fleet := drover.NewRunnerFleet(runners, text("Fleet"), &drover.RunnerFleetProps{
		Environment:  text("production"),
		GroupName:    text("builders"),
		Level:        drover.GitHubLevel_Organization(text("acme")),
		Network:      drover.Network_FromVpc(vpc, nil),
		Credentials:  drover.GitHubCredentials_Token(awssecretsmanager.NewSecret(runners, text("GitHubToken"), nil)),
		AsgMinSize:   number(2),
		AsgMaxSize:   number(4),
		Architecture: drover.Architecture_ARM64,
		ExtraLabels:  jsii.Strings("large"),
		IdleTargetSchedules: &[]*drover.IdleTargetSchedule{{
			Cron: text("0 8 * * 1-5"), TimeZone: text("Europe/Berlin"), IdleRunnersTargetCount: number(2),
		}},
		ExtraFiles: &map[string]interface{}{
			"/etc/motd":     "hello",
			"/etc/app.conf": &drover.ExtraFile{Content: text("x=1"), Permissions: text("0600")},
		},
		Tags:             &map[string]*string{"team": text("builds"), "cost": text("ci")},
		LogRetentionDays: number(30),
	})
	awss3.NewBucket(runners, text("Cache"), nil).GrantRead(fleet, nil)
	scrapers := awsec2.NewSecurityGroup(runners, text("Scrapers"), &awsec2.SecurityGroupProps{Vpc: vpc})
	fleet.Connections().AllowFrom(scrapers, awsec2.Port_Tcp(number(9100)), nil)
	fleet.MetricIdleRunners(&awscloudwatch.MetricOptions{Period: awscdk.Duration_Minutes(number(5))}).
		CreateAlarm(runners, text("NoIdle"), alarm(3))
	fleet.RecordMetricFunction().MetricErrors(nil).CreateAlarm(runners, text("Errors"), alarm(1))

	search := awscdk.NewStack(app, text("search"), nil)
	clients := awsec2.NewSecurityGroup(search, text("Clients"), &awsec2.SecurityGroupProps{Vpc: vpc})
	cluster := drover.NewSearchCluster(search, text("Cluster"), &drover.SearchClusterProps{
		Environment:          text("production"),
		ClusterName:          text("logs"),
		Network:              drover.Network_FromVpc(vpc, nil),
		Zone:                 drover.Zone_FromHostedZone(hostedZone),
		ClientSecurityGroups: &[]awsec2.ISecurityGroup{clients},
		HeapMaxGib:           "none",
		ElasticsearchSettings: &map[string]interface{}{
			"indices.memory.index_buffer_size": "20%", "action.auto_create_index": false,
		},
		SnapshotPolicies: &map[string]*drover.SnapshotPolicyInput{
			"hourly": {Schedule: text("0 5 * * * ?"), Expire: text("2d"), Count: number(60), Overdue: text("4h")},
		},
	})
	cluster.MetricUnhealthyHosts(drover.NodeKind_DATA, nil).CreateAlarm(search, text("Unhealthy"), alarm(2))
	ui := drover.NewSearchUi(search, text("Kibana"), &drover.SearchUiProps{
		Environment:          text("production"),
		Version:              text("x.y.z"),
		Network:              drover.Network_FromVpc(vpc, nil),
		Zone:                 drover.Zone_FromHostedZone(hostedZone),
		ElasticsearchUrl:     cluster.ClusterMasterUrl(),
		ElasticsearchVersion: cluster.ElasticsearchVersion(),
		Credentials:          drover.KibanaCredentials_FromSecretIds(cluster.KibanaSystemSecretId(), nil),
		TaskSecurityGroups:   &[]awsec2.ISecurityGroup{clients},
	})
	ui.Node().AddDependency(cluster)
	app.Synth(nil)
}
