# ==> main.tf <==
# A template in the other format

locals {
  Live = var.Stage == "live"
}

# The net is named after the stack.
resource "openstack_networking_network_v2" "Net" {
  name = "${var.stack_name}-net"
}

# deletion_policy: Retain: Terraform refuses to destroy the resource, where Heat leaves it in place
resource "openstack_compute_instance_v2" "Server" {
  flavor_id   = can(regex("^[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$", { test = { Name = "m1.tiny" }, live = { Name = "m1.large" } }[var.Stage]["Name"])) ? { test = { Name = "m1.tiny" }, live = { Name = "m1.large" } }[var.Stage]["Name"] : null
  flavor_name = can(regex("^[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$", { test = { Name = "m1.tiny" }, live = { Name = "m1.large" } }[var.Stage]["Name"])) ? null : { test = { Name = "m1.tiny" }, live = { Name = "m1.large" } }[var.Stage]["Name"]
  image_name  = local.Live ? "stable" : "edge"
  name        = "${var.stack_name}-Server"

  network {
    uuid = openstack_networking_network_v2.Net.id
  }

  lifecycle {
    prevent_destroy = true
  }
}

resource "openstack_blockstorage_volume_v3" "Disk" {
  count = local.Live ? 1 : 0
  name  = "${var.stack_name}-Disk"
  size  = var.Size
}

# ==> variables.tf <==
variable "Size" {
  type     = number
  default  = 1
  nullable = false

  validation {
    condition     = var.Size >= 1 && var.Size <= 5
    error_message = "Size must be 1 to 5."
  }
}

variable "Stage" {
  type     = string
  default  = "test"
  nullable = false

  validation {
    condition     = contains(["test", "live"], var.Stage)
    error_message = "test or live"
  }
}

variable "stack_name" {
  description = "Name of the stack"
  type        = string
  nullable    = false
}

# ==> outputs.tf <==
output "Address" {
  description = "Where it is"
  value       = openstack_compute_instance_v2.Server.access_ip_v4
}

# ==> providers.tf <==
terraform {
  required_version = ">= 1.5"

  required_providers {
    openstack = { source = "terraform-provider-openstack/openstack", version = "~> 3.4" }
  }
}
