# ==> main.tf <==
locals {
  web_script = <<EOT
#!/bin/sh
/bin/true --data-binary '{"status": "SUCCESS"}'
cfn-signal -e 0 'file:///dev/null'
EOT
  web_boot = join("\n", [
    "#cloud-config",
    yamlencode({
      bootcmd = ["cfn-create-aws-symlinks || true"]
      write_files = [
        {
          path        = "/var/lib/heat-cfntools/cfn-userdata"
          permissions = "0700"
          content     = local.web_script
        },
      ]
      runcmd = [["/var/lib/heat-cfntools/cfn-userdata"]]
    }),
  ])
  external_network_is_id = can(
    regex("^[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$", var.external_network)
  )
  external_network_name = local.external_network_is_id ? one(data.openstack_networking_network_v2.external_network[*].name) : var.external_network
}

data "openstack_networking_network_v2" "external_network" {
  count      = local.external_network_is_id ? 1 : 0
  network_id = var.external_network
}

data "openstack_networking_port_v2" "assoc" {
  device_id = openstack_compute_instance_v2.web.id
}

data "openstack_networking_port_v2" "port" {
  name = "port"
}

data "openstack_networking_subnet_v2" "private" {
  name = "private"
}

data "openstack_networking_network_v2" "net" {
  name = "net"
}

resource "openstack_networking_secgroup_v2" "sg" {
  description = "web"
  name        = "${var.stack_name}-sg"
}

resource "openstack_networking_secgroup_rule_v2" "sg_rule_0" {
  security_group_id = openstack_networking_secgroup_v2.sg.id
  direction         = "ingress"
  ethertype         = "IPv4"
  protocol          = "tcp"
  port_range_min    = 80
  port_range_max    = 80
  remote_ip_prefix  = "0.0.0.0/0"
}

resource "openstack_networking_secgroup_rule_v2" "sg_rule_1" {
  security_group_id = openstack_networking_secgroup_v2.sg.id
  direction         = "ingress"
  ethertype         = "IPv4"
  protocol          = "icmp"
  remote_ip_prefix  = "10.0.0.0/8"
}

resource "openstack_compute_instance_v2" "web" {
  flavor_name     = "small"
  image_name      = "cirros"
  key_pair        = var.key
  metadata        = { role = "web" }
  name            = "${var.stack_name}-web"
  security_groups = [openstack_networking_secgroup_v2.sg.name]
  user_data       = local.web_boot
  depends_on = [
    openstack_blockstorage_volume_v3.vol,
    openstack_networking_secgroup_rule_v2.sg_rule_0,
    openstack_networking_secgroup_rule_v2.sg_rule_1,
  ]
}

resource "openstack_blockstorage_volume_v3" "vol" {
  availability_zone = "nova"
  name              = "${var.stack_name}-vol"
  size              = 1
}

resource "openstack_networking_floatingip_v2" "ip" {
  pool       = local.external_network_name
  depends_on = [openstack_compute_instance_v2.web]
}

resource "openstack_networking_floatingip_v2" "ip2" {
  pool = local.external_network_name
}

resource "openstack_networking_floatingip_associate_v2" "assoc" {
  floating_ip = openstack_networking_floatingip_v2.ip2.address
  port_id     = data.openstack_networking_port_v2.assoc.id
}

# handle: only Heat waits for signals
# left out: type: OS::Heat::WaitConditionHandle

# wait: only Heat waits for signals
# left out: type: OS::Heat::WaitCondition
# left out: properties: {handle: {get_resource: handle}, timeout: 600}

# aws_handle: only Heat waits for signals
# left out: type: AWS::CloudFormation::WaitConditionHandle

# aws_wait: only Heat waits for signals
# left out: type: AWS::CloudFormation::WaitCondition
# left out: properties: {Handle: {get_resource: aws_handle}, Timeout: 600}

resource "random_password" "password" {
  length           = 16
  override_special = "%&!"
  min_lower        = 2
  min_numeric      = 3
  min_special      = 1
  keepers          = { salt = "x" }
}

resource "random_password" "plain" {
  length  = 32
  special = false
}

resource "openstack_networking_floatingip_associate_v2" "by_id" {
  floating_ip = var.address
  port_id     = data.openstack_networking_port_v2.port.id
}

# left out: metadata: {owner: me}
resource "openstack_compute_instance_v2" "raw" {
  flavor_name = "small"
  image_name  = "cirros"
  name        = "${var.stack_name}-raw"
}

resource "random_password" "letters" {
  length           = 32
  lower            = false
  upper            = false
  override_special = "ABCDEF"
}

resource "openstack_networking_secgroup_v2" "group_of_addresses" {
  description          = "db"
  name                 = "${var.stack_name}-group_of_addresses"
  delete_default_rules = true
  depends_on = [
    openstack_networking_secgroup_rule_v2.sg_rule_0,
    openstack_networking_secgroup_rule_v2.sg_rule_1,
  ]
}

resource "openstack_networking_secgroup_rule_v2" "group_of_addresses_rule_0" {
  security_group_id = openstack_networking_secgroup_v2.group_of_addresses.id
  direction         = "ingress"
  ethertype         = "IPv4"
  protocol          = "tcp"
  port_range_min    = 1
  port_range_max    = 9
  remote_group_id   = openstack_networking_secgroup_v2.sg.id
}

resource "openstack_networking_secgroup_rule_v2" "group_of_addresses_rule_1" {
  security_group_id = openstack_networking_secgroup_v2.group_of_addresses.id
  direction         = "ingress"
  ethertype         = "IPv4"
  protocol          = "tcp"
}

resource "openstack_networking_secgroup_rule_v2" "group_of_addresses_rule_2" {
  security_group_id = openstack_networking_secgroup_v2.group_of_addresses.id
  direction         = "egress"
  ethertype         = "IPv4"
  protocol          = "udp"
  port_range_min    = 53
  port_range_max    = 53
  remote_ip_prefix  = "0.0.0.0/0"
}

resource "openstack_lb_loadbalancer_v2" "balancer" {
  name          = "${var.stack_name}-balancer"
  vip_subnet_id = data.openstack_networking_subnet_v2.private.id
}

resource "openstack_networking_segment_v2" "segment" {
  network_id       = data.openstack_networking_network_v2.net.id
  network_type     = "vlan"
  physical_network = "physnet1"
  segmentation_id  = 7
}

resource "openstack_lb_flavorprofile_v2" "profile" {
  flavor_data   = "{\"loadbalancer_topology\": \"SINGLE\"}"
  name          = "${var.stack_name}-profile"
  provider_name = "amphora"
}

resource "openstack_lb_flavor_v2" "lb_flavor" {
  flavor_profile_id = openstack_lb_flavorprofile_v2.profile.id
  name              = "${var.stack_name}-lb_flavor"
}

resource "openstack_blockstorage_volume_v3" "waiting" {
  name = "${var.stack_name}-waiting"
  size = 1
}

# needed: only Heat waits for signals
# lost: type: OS::Heat::WaitCondition
# lost: properties: {handle: {get_resource: other_handle}, timeout: 60}

# other_handle: only Heat waits for signals
# lost: type: OS::Heat::WaitConditionHandle

resource "openstack_compute_volume_attach_v2" "web_volume_0" {
  instance_id = openstack_compute_instance_v2.web.id
  volume_id   = openstack_blockstorage_volume_v3.vol.id
}

resource "openstack_networking_floatingip_associate_v2" "ip_association" {
  floating_ip = openstack_networking_floatingip_v2.ip.address
  port_id     = data.openstack_networking_port_v2.assoc.id
}

# ==> variables.tf <==
variable "key" {
  type     = string
  nullable = false
}

variable "address" {
  type     = string
  nullable = false
}

variable "external_network" {
  description = "The external network, which Heat finds by itself"
  type        = string
  nullable    = false
}

variable "stack_name" {
  description = "Name of the stack"
  type        = string
  nullable    = false
}

# ==> outputs.tf <==
output "ip" {
  value = openstack_compute_instance_v2.web.access_ip_v4
}

output "address" {
  value = openstack_networking_floatingip_v2.ip.address
}

output "password" {
  value     = random_password.password.result
  sensitive = true
}

output "plain" {
  value     = random_password.plain.result
  sensitive = true
}

# ==> providers.tf <==
terraform {
  required_version = ">= 1.5"

  required_providers {
    openstack = { source = "terraform-provider-openstack/openstack", version = "~> 3.4" }
    random    = { source = "hashicorp/random", version = "~> 3.7" }
  }
}
