import drover.constructs.Architecture;
import drover.constructs.ExtraFile;
import drover.constructs.GitHubCredentials;
import drover.constructs.GitHubLevel;
import drover.constructs.IdleTargetSchedule;
import drover.constructs.KibanaCredentials;
import drover.constructs.Network;
import drover.constructs.NodeKind;
import drover.constructs.RunnerFleet;
import drover.constructs.SearchCluster;
import drover.constructs.SearchUi;
import drover.constructs.SnapshotPolicyInput;
import drover.constructs.Zone;
import java.util.List;
import java.util.Map;
import software.amazon.awscdk.App;
import software.amazon.awscdk.Duration;
import software.amazon.awscdk.Stack;
import software.amazon.awscdk.services.cloudwatch.CreateAlarmOptions;
import software.amazon.awscdk.services.cloudwatch.MetricOptions;
import software.amazon.awscdk.services.ec2.Port;
import software.amazon.awscdk.services.ec2.SecurityGroup;
import software.amazon.awscdk.services.ec2.Vpc;
import software.amazon.awscdk.services.route53.PublicHostedZone;
import software.amazon.awscdk.services.s3.Bucket;
import software.amazon.awscdk.services.secretsmanager.Secret;

/** The app of app.ts in Java. */
public class Main {
  public static void main(String[] args) {
    App app = App.Builder.create().outdir("cdk.out").analyticsReporting(false).build();
    Stack network = new Stack(app, "network");
    Vpc vpc =
        Vpc.Builder.create(network, "Vpc")
            .availabilityZones(List.of("eu-west-1a", "eu-west-1b", "eu-west-1c"))
            .natGateways(1)
            .restrictDefaultSecurityGroup(false)
            .build();
    PublicHostedZone hostedZone =
        PublicHostedZone.Builder.create(network, "Zone").zoneName("search.example.com").build();

    Stack runners = new Stack(app, "runners");
    RunnerFleet fleet =
        RunnerFleet.Builder.create(runners, "Fleet")
            .environment("production")
            .groupName("builders")
            .level(GitHubLevel.organization("acme"))
            .network(Network.fromVpc(vpc))
            .credentials(GitHubCredentials.token(new Secret(runners, "GitHubToken")))
            .asgMinSize(2)
            .asgMaxSize(4)
            .architecture(Architecture.ARM64)
            .extraLabels(List.of("large"))
            .idleTargetSchedules(
                List.of(
                    IdleTargetSchedule.builder()
                        .cron("0 8 * * 1-5")
                        .timeZone("Europe/Berlin")
                        .idleRunnersTargetCount(2)
                        .build()))
            .extraFiles(
                Map.of(
                    "/etc/motd",
                    "hello",
                    "/etc/app.conf",
                    ExtraFile.builder().content("x=1").permissions("0600").build()))
            .tags(Map.of("team", "builds", "cost", "ci"))
            .logRetentionDays(30)
            .build();
    new Bucket(runners, "Cache").grantRead(fleet);
    SecurityGroup scrapers = SecurityGroup.Builder.create(runners, "Scrapers").vpc(vpc).build();
    fleet.getConnections().allowFrom(scrapers, Port.tcp(9100));
    fleet
        .metricIdleRunners(MetricOptions.builder().period(Duration.minutes(5)).build())
        .createAlarm(runners, "NoIdle", alarm(3));
    fleet.getRecordMetricFunction().metricErrors().createAlarm(runners, "Errors", alarm(1));

    Stack search = new Stack(app, "search");
    SecurityGroup clients = SecurityGroup.Builder.create(search, "Clients").vpc(vpc).build();
    SearchCluster cluster =
        SearchCluster.Builder.create(search, "Cluster")
            .environment("production")
            .clusterName("logs")
            .network(Network.fromVpc(vpc))
            .zone(Zone.fromHostedZone(hostedZone))
            .clientSecurityGroups(List.of(clients))
            .heapMaxGib("none")
            .elasticsearchSettings(
                Map.of("indices.memory.index_buffer_size", "20%", "action.auto_create_index", false))
            .snapshotPolicies(
                Map.of(
                    "hourly",
                    SnapshotPolicyInput.builder()
                        .schedule("0 5 * * * ?")
                        .expire("2d")
                        .count(60)
                        .overdue("4h")
                        .build()))
            .build();
    cluster.metricUnhealthyHosts(NodeKind.DATA).createAlarm(search, "Unhealthy", alarm(2));
    SearchUi ui =
        SearchUi.Builder.create(search, "Kibana")
            .environment("production")
            .version("x.y.z")
            .network(Network.fromVpc(vpc))
            .zone(Zone.fromHostedZone(hostedZone))
            .elasticsearchUrl(cluster.getClusterMasterUrl())
            .elasticsearchVersion(cluster.getElasticsearchVersion())
            .credentials(KibanaCredentials.fromSecretIds(cluster.getKibanaSystemSecretId()))
            .taskSecurityGroups(List.of(clients))
            .build();
    ui.getNode().addDependency(cluster);
    app.synth();
  }

  private static CreateAlarmOptions alarm(int periods) {
    return CreateAlarmOptions.builder().threshold(1).evaluationPeriods(periods).build();
  }
}
