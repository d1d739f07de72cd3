# ==> main.tf <==
locals {
  external_network_is_id = can(
    regex("^[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$", var.external_network)
  )
  external_network_id = local.external_network_is_id ? var.external_network : one(data.openstack_networking_network_v2.external_network[*].id)
}

data "openstack_networking_network_v2" "external_network" {
  count = local.external_network_is_id ? 0 : 1
  name  = var.external_network
}

resource "openstack_networking_network_v2" "vpc" {
  name = "${var.stack_name}-vpc"
}

# igw: it creates nothing
# lost: type: AWS::EC2::InternetGateway

# attached: it creates nothing
# lost: type: AWS::EC2::VPCGatewayAttachment

resource "openstack_networking_subnet_v2" "front" {
  cidr       = "10.0.0.0/24"
  ip_version = 4
  name       = "${var.stack_name}-front"
  network_id = openstack_networking_network_v2.vpc.id
}

resource "openstack_networking_subnet_v2" "back" {
  cidr       = "10.0.1.0/24"
  ip_version = 4
  name       = "${var.stack_name}-back"
  network_id = openstack_networking_network_v2.vpc.id
}

resource "openstack_networking_router_v2" "routes" {
  external_network_id = local.external_network_id
  name                = "${var.stack_name}-routes"
  depends_on          = [openstack_networking_network_v2.vpc]
}

resource "openstack_networking_router_interface_v2" "routed" {
  router_id = openstack_networking_router_v2.routes.id
  subnet_id = openstack_networking_subnet_v2.front.id
}

resource "openstack_networking_secgroup_v2" "group" {
  description = "web"
  name        = "${var.stack_name}-group"
  depends_on  = [openstack_networking_network_v2.vpc]
}

resource "openstack_networking_port_v2" "card" {
  fixed_ip {
    subnet_id  = openstack_networking_subnet_v2.front.id
    ip_address = "10.0.0.5"
  }

  name               = "${var.stack_name}-card"
  network_id         = openstack_networking_network_v2.vpc.id
  security_group_ids = [openstack_networking_secgroup_v2.group.id]
}

resource "openstack_compute_instance_v2" "web" {
  flavor_name = "small"
  image_name  = "cirros"
  name        = "${var.stack_name}-web"

  network {
    port = openstack_networking_port_v2.card.id
  }
}

resource "openstack_networking_router_v2" "vpc_router" {
  name = "${var.stack_name}-vpc_router"
}

resource "openstack_networking_router_interface_v2" "back_router_interface" {
  router_id = openstack_networking_router_v2.vpc_router.id
  subnet_id = openstack_networking_subnet_v2.back.id
}

# ==> variables.tf <==
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
output "address" {
  value = try(openstack_networking_port_v2.card.all_fixed_ips[0], null)
}

# the attribute `AvailabilityZone` of `front` (OS::Neutron::Subnet): the provider does not report it
# lost: zone: {get_attr: [front, AvailabilityZone]}

# ==> providers.tf <==
terraform {
  required_version = ">= 1.5"

  required_providers {
    openstack = { source = "terraform-provider-openstack/openstack", version = "~> 3.4" }
  }
}
