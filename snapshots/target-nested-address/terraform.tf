# ==> main.tf <==
locals {
  ext_is_id = can(regex("^[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$", var.ext))
  ext_name  = local.ext_is_id ? one(data.openstack_networking_network_v2.ext[*].name) : var.ext
}

data "openstack_networking_network_v2" "ext" {
  count      = local.ext_is_id ? 1 : 0
  network_id = var.ext
}

data "openstack_networking_network_v2" "net" {
  name = "net"
}

resource "openstack_networking_floatingip_v2" "ip" {
  pool = local.ext_name
}

resource "openstack_networking_port_v2" "port" {
  name       = "${var.stack_name}-port"
  network_id = data.openstack_networking_network_v2.net.id
}

module "assoc" {
  source     = "./modules/assoc"
  port       = openstack_networking_port_v2.port.id
  ip_address = openstack_networking_floatingip_v2.ip.address
}

# ==> variables.tf <==
variable "ext" {
  type     = string
  nullable = false
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

# ==> modules/assoc/main.tf <==
resource "openstack_networking_floatingip_associate_v2" "a" {
  floating_ip = var.ip_address
  port_id     = var.port
}

# ==> modules/assoc/variables.tf <==
# ip: nothing uses this parameter

variable "port" {
  type     = string
  nullable = false
}

variable "ip_address" {
  description = "The address of the floating IP `ip`"
  type        = string
  nullable    = false
}

# ==> modules/assoc/providers.tf <==
terraform {
  required_version = ">= 1.5"

  required_providers {
    openstack = { source = "terraform-provider-openstack/openstack", version = "~> 3.4" }
  }
}
