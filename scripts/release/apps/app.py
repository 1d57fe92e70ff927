"""The app of app.ts in Python."""

from aws_cdk import App, Duration, Stack
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_route53 as route53
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_secretsmanager as secretsmanager
from drover_constructs import (
    Architecture,
    ExtraFile,
    GitHubCredentials,
    GitHubLevel,
    IdleTargetSchedule,
    KibanaCredentials,
    Network,
    NodeKind,
    RunnerFleet,
    SearchCluster,
    SearchUi,
    SnapshotPolicyInput,
    Zone,
)

app = App(outdir="cdk.out", analytics_reporting=False)
network = Stack(app, "network")
vpc = ec2.Vpc(
    network,
    "Vpc",
    availability_zones=["eu-west-1a", "eu-west-1b", "eu-west-1c"],
    nat_gateways=1,
    restrict_default_security_group=False,
)
hosted_zone = route53.PublicHostedZone(network, "Zone", zone_name="search.example.com")

runners = Stack(app, "runners")
fleet = RunnerFleet(
    runners,
    "Fleet",
    environment="production",
    group_name="builders",
    level=GitHubLevel.organization("acme"),
    network=Network.from_vpc(vpc),
    credentials=GitHubCredentials.token(secretsmanager.Secret(runners, "GitHubToken")),
    asg_min_size=2,
    asg_max_size=4,
    architecture=Architecture.ARM64,
    extra_labels=["large"],
    idle_target_schedules=[
        IdleTargetSchedule(cron="0 8 * * 1-5", time_zone="Europe/Berlin", idle_runners_target_count=2)
    ],
    extra_files={"/etc/motd": "hello", "/etc/app.conf": ExtraFile(content="x=1", permissions="0600")},
    tags={"team": "builds", "cost": "ci"},
    log_retention_days=30,
)
s3.Bucket(runners, "Cache").grant_read(fleet)
fleet.connections.allow_from(ec2.SecurityGroup(runners, "Scrapers", vpc=vpc), ec2.Port.tcp(9100))
fleet.metric_idle_runners(period=Duration.minutes(5)).create_alarm(
    runners, "NoIdle", threshold=1, evaluation_periods=3
)
fleet.record_metric_function.metric_errors().create_alarm(runners, "Errors", threshold=1, evaluation_periods=1)

search = Stack(app, "search")
clients = ec2.SecurityGroup(search, "Clients", vpc=vpc)
cluster = SearchCluster(
    search,
    "Cluster",
    environment="production",
    cluster_name="logs",
    network=Network.from_vpc(vpc),
    zone=Zone.from_hosted_zone(hosted_zone),
    client_security_groups=[clients],
    heap_max_gib="none",
    elasticsearch_settings={"indices.memory.index_buffer_size": "20%", "action.auto_create_index": False},
    snapshot_policies={"hourly": SnapshotPolicyInput(schedule="0 5 * * * ?", expire="2d", count=60, overdue="4h")},
)
cluster.metric_unhealthy_hosts(NodeKind.DATA).create_alarm(search, "Unhealthy", threshold=1, evaluation_periods=2)
ui = SearchUi(
    search,
    "Kibana",
    environment="production",
    version="x.y.z",
    network=Network.from_vpc(vpc),
    zone=Zone.from_hosted_zone(hosted_zone),
    elasticsearch_url=cluster.cluster_master_url,
    elasticsearch_version=cluster.elasticsearch_version,
    credentials=KibanaCredentials.from_secret_ids(cluster.kibana_system_secret_id),
    task_security_groups=[clients],
)
ui.node.add_dependency(cluster)
app.synth()
