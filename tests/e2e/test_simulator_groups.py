"""The simulated AWS: Auto Scaling groups."""

import pytest

from simulator import IMAGE, autoscaling, ec2, refused, sample, simulator, subnet, vpc  # noqa: F401


class TestAutoScaling:
    @pytest.fixture
    def template(self, ec2):
        made = ec2.create_launch_template(
            LaunchTemplateName="web", LaunchTemplateData={"ImageId": IMAGE, "InstanceType": "t3.micro"}
        )
        return made["LaunchTemplate"]["LaunchTemplateId"]

    @pytest.fixture
    def group(self, autoscaling, template, subnet):
        autoscaling.create_auto_scaling_group(
            AutoScalingGroupName="web",
            LaunchTemplate={"LaunchTemplateId": template, "Version": "1"},
            MinSize=1,
            MaxSize=4,
            DesiredCapacity=2,
            VPCZoneIdentifier=subnet,
            Tags=[{"Key": "Name", "Value": "web", "PropagateAtLaunch": True}, {"Key": "own", "Value": "x"}],
        )
        return "web"

    def live(self, autoscaling):
        [group] = autoscaling.describe_auto_scaling_groups()["AutoScalingGroups"]
        return group

    def test_it_keeps_its_capacity(self, simulator, ec2, autoscaling, group, subnet):
        simulator.advance(60)
        live = self.live(autoscaling)
        assert [item["LifecycleState"] for item in live["Instances"]] == ["InService"] * 2
        assert live["VPCZoneIdentifier"] == subnet and live["AvailabilityZones"] == ["us-west-2b"]
        instances = [item["Instances"][0] for item in ec2.describe_instances()["Reservations"]]
        tags = {tag["Key"]: tag["Value"] for tag in instances[0]["Tags"]}
        assert tags["Name"] == "web" and tags["aws:autoscaling:groupName"] == "web" and "own" not in tags
        ec2.terminate_instances(InstanceIds=[instances[0]["InstanceId"]])
        simulator.advance(180)
        states = [item["Instances"][0]["State"]["Name"] for item in ec2.describe_instances()["Reservations"]]
        assert sorted(states) == ["running", "running", "terminated"]
        autoscaling.update_auto_scaling_group(AutoScalingGroupName="web", MinSize=3)
        assert self.live(autoscaling)["DesiredCapacity"] == 3
        simulator.advance(120)
        assert len(self.live(autoscaling)["Instances"]) == 3

    def test_deletion(self, simulator, autoscaling, group):
        simulator.advance(60)
        name = {"AutoScalingGroupName": "web"}
        refused("ResourceInUse", autoscaling.delete_auto_scaling_group, **name)
        autoscaling.update_auto_scaling_group(**name, MinSize=0, DesiredCapacity=0)
        simulator.advance(10)
        refused("ScalingActivityInProgress", autoscaling.delete_auto_scaling_group, **name)
        simulator.advance(120)
        autoscaling.delete_auto_scaling_group(**name)
        assert autoscaling.describe_auto_scaling_groups()["AutoScalingGroups"] == []
        refused("ValidationError", autoscaling.delete_auto_scaling_group, **name)

    def test_forced_deletion(self, simulator, ec2, autoscaling, group):
        simulator.advance(60)
        autoscaling.delete_auto_scaling_group(AutoScalingGroupName="web", ForceDelete=True)
        assert self.live(autoscaling)["Status"] == "Delete in progress"
        simulator.advance(180)
        assert autoscaling.describe_auto_scaling_groups()["AutoScalingGroups"] == []
        assert {item["Instances"][0]["State"]["Name"] for item in ec2.describe_instances()["Reservations"]} == {"terminated"}

    @pytest.mark.parametrize(
        "change,code",
        [
            ({"DesiredCapacity": 9}, "ValidationError"),
            ({"MaxSize": 0}, "ValidationError"),
            ({"DefaultCooldown": -1}, "ValidationError"),
            ({"MaxInstanceLifetime": 3600}, "ValidationError"),
            ({"VPCZoneIdentifier": "subnet-00000000"}, "ValidationError"),
            ({"LaunchTemplate": {"LaunchTemplateName": "web", "Version": "9"}}, "ValidationError"),
            ({"Tags": [{"Key": "aws:x", "Value": ""}]}, "ValidationError"),
            ({"AutoScalingGroupName": "web"}, "AlreadyExists"),
        ],
    )
    def test_what_cannot_be(self, autoscaling, group, template, subnet, change, code):
        parameters = {
            "AutoScalingGroupName": "other",
            "LaunchTemplate": {"LaunchTemplateId": template},
            "MinSize": 1,
            "MaxSize": 4,
            "VPCZoneIdentifier": subnet,
            **change,
        }
        refused(code, autoscaling.create_auto_scaling_group, **parameters)
        assert len(autoscaling.describe_auto_scaling_groups()["AutoScalingGroups"]) == 1

    def test_mixed_instances(self, simulator, autoscaling, template, subnet):
        autoscaling.create_auto_scaling_group(
            AutoScalingGroupName="mixed",
            MinSize=1,
            MaxSize=1,
            VPCZoneIdentifier=subnet,
            MixedInstancesPolicy={
                "LaunchTemplate": {
                    "LaunchTemplateSpecification": {"LaunchTemplateId": template, "Version": "$Latest"},
                    "Overrides": [{"InstanceType": "t3.large", "WeightedCapacity": "1"}, {"InstanceType": "t3.small"}],
                },
                "InstancesDistribution": {"OnDemandPercentageAboveBaseCapacity": 50, "SpotAllocationStrategy": "capacity-optimized"},
            },
        )
        simulator.advance(60)
        live = self.live(autoscaling)
        policy = live["MixedInstancesPolicy"]
        assert policy["LaunchTemplate"]["LaunchTemplateSpecification"]["LaunchTemplateName"] == "web"
        assert [item["InstanceType"] for item in policy["LaunchTemplate"]["Overrides"]] == ["t3.large", "t3.small"]
        assert policy["InstancesDistribution"]["OnDemandPercentageAboveBaseCapacity"] == 50
        assert live["Instances"][0]["InstanceType"] == "t3.large"

    def test_every_member_comes_back(self, autoscaling, template, subnet):
        shape = autoscaling.meta.service_model.operation_model("CreateAutoScalingGroup").input_shape
        own = ["MixedInstancesPolicy", "AvailabilityZoneIds", "LaunchConfigurationName", "InstanceId", "LaunchTemplate"]
        own += ["LifecycleHookSpecificationList", "Tags", "TrafficSources", "SkipZonalShiftValidation"]
        wanted = {key: sample(member, key) for key, member in shape.members.items() if key not in own}
        wanted.update(AutoScalingGroupName="all", VPCZoneIdentifier=subnet, AvailabilityZones=["us-west-2b"])
        wanted["MaxInstanceLifetime"] = 86400
        policy = sample(shape.members["MixedInstancesPolicy"])
        chosen = {"LaunchTemplateId": template, "LaunchTemplateName": "web", "Version": "1"}
        policy["LaunchTemplate"]["LaunchTemplateSpecification"] = chosen
        override = policy["LaunchTemplate"]["Overrides"][0]
        override.update(InstanceType="t3.large", LaunchTemplateSpecification=chosen)
        autoscaling.create_auto_scaling_group(**wanted, MixedInstancesPolicy=policy)
        live = self.live(autoscaling)
        assert live["MixedInstancesPolicy"] == policy
        assert {key: live.get(key) for key in wanted} == wanted

    def test_hooks(self, simulator, autoscaling, template, subnet):
        hook = {"LifecycleHookName": "up", "LifecycleTransition": "autoscaling:EC2_INSTANCE_LAUNCHING"}
        autoscaling.create_auto_scaling_group(
            AutoScalingGroupName="web",
            LaunchTemplate={"LaunchTemplateId": template},
            MinSize=1,
            MaxSize=1,
            VPCZoneIdentifier=subnet,
            LifecycleHookSpecificationList=[{**hook, "HeartbeatTimeout": 300, "DefaultResult": "CONTINUE"}],
        )
        simulator.advance(60)
        assert self.live(autoscaling)["Instances"][0]["LifecycleState"] == "Pending:Wait"
        simulator.advance(300)
        assert self.live(autoscaling)["Instances"][0]["LifecycleState"] == "InService"
        name = {"AutoScalingGroupName": "web"}
        autoscaling.put_lifecycle_hook(**name, LifecycleHookName="up", HeartbeatTimeout=600)
        [live] = autoscaling.describe_lifecycle_hooks(**name)["LifecycleHooks"]
        assert (live["HeartbeatTimeout"], live["DefaultResult"], live["GlobalTimeout"]) == (600, "CONTINUE", 60000)
        autoscaling.delete_lifecycle_hook(**name, LifecycleHookName="up")
        assert autoscaling.describe_lifecycle_hooks(**name)["LifecycleHooks"] == []

    def test_a_hook_lets_go_of_what_leaves(self, simulator, autoscaling, ec2, group):
        name = {"AutoScalingGroupName": "web"}
        autoscaling.put_lifecycle_hook(
            **name,
            LifecycleHookName="down",
            LifecycleTransition="autoscaling:EC2_INSTANCE_TERMINATING",
            HeartbeatTimeout=300,
            DefaultResult="CONTINUE",
        )
        simulator.advance(120)
        autoscaling.update_auto_scaling_group(**name, MinSize=0, MaxSize=0, DesiredCapacity=0)
        simulator.advance(120)
        states = {each["LifecycleState"] for each in self.live(autoscaling)["Instances"]}
        assert states == {"Terminating:Wait"}
        simulator.advance(300)
        assert self.live(autoscaling)["Instances"] == []

    @pytest.mark.parametrize("zone, moves", [("us-west-2a", True), ("us-west-2b", False)])
    def test_another_subnet(self, simulator, ec2, autoscaling, vpc, subnet, group, zone, moves):
        simulator.advance(120)
        first = {each["InstanceId"] for each in self.live(autoscaling)["Instances"]}
        other = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.7.0/24", AvailabilityZone=zone)["Subnet"]["SubnetId"]
        simulator.advance(30)
        autoscaling.update_auto_scaling_group(AutoScalingGroupName="web", VPCZoneIdentifier=other)
        simulator.advance(30)
        # The new ones come before the old ones go.
        assert first <= {each["InstanceId"] for each in self.live(autoscaling)["Instances"]}
        simulator.advance(300)
        last = self.live(autoscaling)["Instances"]
        assert len(last) == 2 and {each["LifecycleState"] for each in last} == {"InService"}
        assert first.isdisjoint(each["InstanceId"] for each in last) == moves
        if moves:
            ec2.delete_subnet(SubnetId=subnet)
        else:
            refused("DependencyViolation", ec2.delete_subnet, SubnetId=subnet)

    def test_target_groups(self, autoscaling, group):
        name = {"AutoScalingGroupName": "web"}
        arns = [f"arn:aws:elasticloadbalancing:us-west-2:123456789012:targetgroup/{each}/0123456789abcdef" for each in "ab"]
        autoscaling.attach_load_balancer_target_groups(**name, TargetGroupARNs=arns)
        live = self.live(autoscaling)
        assert live["TargetGroupARNs"] == arns
        assert [(each["Identifier"], each["Type"]) for each in live["TrafficSources"]] == [(arn, "elbv2") for arn in arns]
        autoscaling.detach_load_balancer_target_groups(**name, TargetGroupARNs=arns[:1])
        assert self.live(autoscaling)["TargetGroupARNs"] == arns[1:]
        refused("ValidationError", autoscaling.attach_load_balancer_target_groups, **name, TargetGroupARNs=["web"])
        autoscaling.detach_load_balancer_target_groups(**name, TargetGroupARNs=arns)
        assert self.live(autoscaling)["TrafficSources"] == []

    def test_tags_processes_and_metrics(self, simulator, autoscaling, group):
        tag = {"ResourceId": "web", "ResourceType": "auto-scaling-group", "Key": "own"}
        autoscaling.create_or_update_tags(Tags=[{**tag, "Value": "y", "PropagateAtLaunch": True}])
        listed = {item["Key"]: (item["Value"], item["PropagateAtLaunch"]) for item in autoscaling.describe_tags()["Tags"]}
        assert listed == {"Name": ("web", True), "own": ("y", True)}
        autoscaling.delete_tags(Tags=[tag])
        assert [item["Key"] for item in self.live(autoscaling)["Tags"]] == ["Name"]
        name = {"AutoScalingGroupName": "web"}
        autoscaling.suspend_processes(**name, ScalingProcesses=["Launch", "AZRebalance"])
        assert {item["ProcessName"] for item in self.live(autoscaling)["SuspendedProcesses"]} == {"Launch", "AZRebalance"}
        autoscaling.enable_metrics_collection(**name, Granularity="1Minute", Metrics=["GroupMinSize"])
        assert self.live(autoscaling)["EnabledMetrics"] == [{"Metric": "GroupMinSize", "Granularity": "1Minute"}]
        autoscaling.resume_processes(**name)
        autoscaling.disable_metrics_collection(**name)
        live = self.live(autoscaling)
        assert live["SuspendedProcesses"] == [] and live["EnabledMetrics"] == []
