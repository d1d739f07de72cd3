# ==> main.tf <==
# Security groups, which no target may open or close

locals {
  given_rule_0       = [for it in var.more : it if try(it.remote_mode, null) != "remote_group_id"]
  given_rule_0_group = [for it in var.more : it if try(it.remote_mode, null) == "remote_group_id"]
}

# Members of the group reach each other
# Heat ignores the group: everybody may
# Every code of one type
resource "openstack_networking_secgroup_v2" "web" {
  name       = "${var.stack_name}-web"
  depends_on = [openstack_networking_secgroup_rule_v2.gateway_rule_1]
}

resource "openstack_networking_secgroup_rule_v2" "web_rule_0" {
  security_group_id = openstack_networking_secgroup_v2.web.id
  direction         = "ingress"
  ethertype         = "IPv4"
  protocol          = "tcp"
  port_range_min    = 443
  port_range_max    = 443
}

resource "openstack_networking_secgroup_rule_v2" "web_rule_1" {
  security_group_id = openstack_networking_secgroup_v2.web.id
  direction         = "ingress"
  ethertype         = "IPv4"
  protocol          = "tcp"
  port_range_min    = 22
  port_range_max    = 22
  remote_ip_prefix  = var.admins
}

resource "openstack_networking_secgroup_rule_v2" "web_rule_2" {
  security_group_id = openstack_networking_secgroup_v2.web.id
  direction         = "ingress"
  ethertype         = "IPv4"
  remote_group_id   = openstack_networking_secgroup_v2.web.id
}

resource "openstack_networking_secgroup_rule_v2" "web_rule_3" {
  security_group_id = openstack_networking_secgroup_v2.web.id
  direction         = "ingress"
  ethertype         = "IPv4"
  protocol          = "tcp"
  port_range_min    = 8080
  port_range_max    = 8080
}

resource "openstack_networking_secgroup_rule_v2" "web_rule_4" {
  security_group_id = openstack_networking_secgroup_v2.web.id
  direction         = "ingress"
  ethertype         = "IPv4"
  protocol          = "icmp"
  port_range_min    = 8
  port_range_max    = 0
}

# Whom it is for only Heat computes
# Instead of the rules that let everything out
resource "openstack_networking_secgroup_v2" "gateway" {
  name                 = "${var.stack_name}-gateway"
  delete_default_rules = true
}

# Terraform does not support yaql
# lost: openstack_networking_secgroup_rule_v2: protocol: udp
#           port_range_min: 500
#           port_range_max: 500
#           remote_ip_prefix: {yaql: {expression: $.data.keys().first(), data: {get_param: peers}}}

resource "openstack_networking_secgroup_rule_v2" "gateway_rule_1" {
  security_group_id = openstack_networking_secgroup_v2.gateway.id
  direction         = "egress"
  ethertype         = "IPv4"
  protocol          = "udp"
  port_range_min    = 4500
  port_range_max    = 4500
}

resource "openstack_networking_secgroup_v2" "given" {
  name                 = "${var.stack_name}-given"
  delete_default_rules = anytrue([for it in var.more : try(it.direction, null) == "egress"])
}

resource "openstack_networking_secgroup_rule_v2" "given_rule_0" {
  count             = length(local.given_rule_0)
  security_group_id = openstack_networking_secgroup_v2.given.id
  direction = try(
    [
      for it in [try(local.given_rule_0[count.index].direction, null), "ingress"] :
      it
      if it != null
    ][0],
    null
  )
  ethertype = try(
    [for it in [try(local.given_rule_0[count.index].ethertype, null), "IPv4"] : it if it != null][0],
    null
  )
  protocol         = try(local.given_rule_0[count.index].protocol, null)
  port_range_min   = try(local.given_rule_0[count.index].port_range_min, null)
  port_range_max   = try(local.given_rule_0[count.index].port_range_max, null)
  description      = try(local.given_rule_0[count.index].description, null)
  remote_ip_prefix = try(local.given_rule_0[count.index].remote_ip_prefix, null)
}

resource "openstack_networking_secgroup_rule_v2" "given_rule_0_group" {
  count             = length(local.given_rule_0_group)
  security_group_id = openstack_networking_secgroup_v2.given.id
  direction = try(
    [
      for it in [try(local.given_rule_0_group[count.index].direction, null), "ingress"] :
      it
      if it != null
    ][0],
    null
  )
  ethertype = try(
    [
      for it in [try(local.given_rule_0_group[count.index].ethertype, null), "IPv4"] :
      it
      if it != null
    ][0],
    null
  )
  protocol       = try(local.given_rule_0_group[count.index].protocol, null)
  port_range_min = try(local.given_rule_0_group[count.index].port_range_min, null)
  port_range_max = try(local.given_rule_0_group[count.index].port_range_max, null)
  description    = try(local.given_rule_0_group[count.index].description, null)
  remote_group_id = try(
    [
      for it in [try(local.given_rule_0_group[count.index].remote_group_id, null), openstack_networking_secgroup_v2.given.id] :
      it
      if it != null
    ][0],
    null
  )
}

# TCP, since no protocol is given
resource "openstack_networking_secgroup_rule_v2" "single" {
  direction         = "ingress"
  ethertype         = "IPv4"
  port_range_max    = 22
  port_range_min    = 22
  protocol          = "tcp"
  remote_group_id   = openstack_networking_secgroup_v2.web.id
  security_group_id = openstack_networking_secgroup_v2.gateway.id
  depends_on = [
    openstack_networking_secgroup_rule_v2.web_rule_0,
    openstack_networking_secgroup_rule_v2.web_rule_1,
    openstack_networking_secgroup_rule_v2.web_rule_2,
    openstack_networking_secgroup_rule_v2.web_rule_3,
    openstack_networking_secgroup_rule_v2.web_rule_4,
  ]
}

# ==> variables.tf <==
variable "admins" {
  type     = string
  default  = "192.0.2.0/24"
  nullable = false
}

# peers: nothing uses this parameter

variable "more" {
  type    = any
  default = []
}

variable "stack_name" {
  description = "Name of the stack"
  type        = string
  nullable    = false
}

# ==> providers.tf <==
terraform {
  required_version = ">= 1.5"

  required_providers {
    openstack = { source = "terraform-provider-openstack/openstack", version = "~> 3.4" }
  }
}
