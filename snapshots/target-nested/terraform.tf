# ==> main.tf <==
# Nested templates and groups

locals {
  cache = var.with_cache
}

resource "openstack_networking_network_v2" "net" {
  name = "${var.stack_name}-net"
}

module "workers" {
  source     = "./modules/node"
  count      = var.size
  name       = "worker-${count.index}"
  image      = var.image
  network    = openstack_networking_network_v2.net.id
  flavor     = var.flavor
  stack_name = "${var.stack_name}-workers-${count.index}"
}

module "front" {
  source     = "./modules/node"
  name       = "front"
  image      = var.image
  network    = openstack_networking_network_v2.net.id
  flavor     = var.flavor
  stack_name = "${var.stack_name}-front"
}

resource "openstack_blockstorage_volume_v3" "cache" {
  count = local.cache ? 1 : 0
  name  = "${var.stack_name}-cache"
  size  = 1
}

resource "openstack_networking_port_v2" "pair" {
  count      = 2
  name       = "pair-${count.index}"
  network_id = openstack_networking_network_v2.net.id
}

# ==> variables.tf <==
variable "size" {
  type     = number
  default  = 2
  nullable = false
}

variable "image" {
  type     = string
  default  = "debian"
  nullable = false
}

variable "with_cache" {
  type     = bool
  default  = false
  nullable = false
}

variable "stack_name" {
  description = "Name of the stack"
  type        = string
  nullable    = false
}

variable "flavor" {
  description = "The value of parameters flavor in nested templates"
  type        = string
  nullable    = false
}

# ==> outputs.tf <==
output "addresses" {
  value = module.workers[*].address
}

output "front" {
  value = module.front.address
}

output "ports" {
  value = openstack_networking_port_v2.pair[*].id
}

output "second" {
  value = openstack_networking_port_v2.pair[1].mac_address
}

output "cache" {
  value = local.cache ? one(openstack_blockstorage_volume_v3.cache[*].id) : null
}

# ==> providers.tf <==
terraform {
  required_version = ">= 1.5"

  required_providers {
    openstack = { source = "terraform-provider-openstack/openstack", version = "~> 3.4" }
  }
}

# ==> terraform.tfvars <==
size   = 3
flavor = "m1.large"

# ==> modules/node/main.tf <==
resource "openstack_networking_port_v2" "port" {
  name       = "${var.stack_name}-port"
  network_id = var.network
}

resource "openstack_compute_instance_v2" "machine" {
  flavor_name = var.flavor
  image_name  = var.image
  name        = var.name

  network {
    port = openstack_networking_port_v2.port.id
  }

  lifecycle {
    ignore_changes = [network]
  }
}

# ==> modules/node/variables.tf <==
# One machine with its port.

variable "name" {
  type     = string
  nullable = false
}

variable "image" {
  type     = string
  nullable = false
}

variable "network" {
  type     = string
  nullable = false
}

variable "flavor" {
  type     = string
  default  = "m1.tiny"
  nullable = false
}

variable "stack_name" {
  description = "Name of the stack"
  type        = string
  nullable    = false
}

# ==> modules/node/outputs.tf <==
output "address" {
  value = try(openstack_networking_port_v2.port.all_fixed_ips[0], null)
}

# ==> modules/node/providers.tf <==
terraform {
  required_version = ">= 1.5"

  required_providers {
    openstack = { source = "terraform-provider-openstack/openstack", version = "~> 3.4" }
  }
}
