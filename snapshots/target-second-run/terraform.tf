# ==> main.tf <==
# What a second apply, or a second run of a playbook, must not change

data "openstack_identity_auth_scope_v3" "scope" {
  name = "scope"
}

data "openstack_networking_port_v2" "other" {
  name = "other"
}

data "openstack_images_image_v2" "debian" {
  name = "debian"
}

data "openstack_networking_port_v2" "kept" {
  name = var.kept
}

data "openstack_networking_port_v2" "server" {
  device_id = openstack_compute_instance_v2.server.id
}

resource "openstack_networking_network_v2" "net" {
  name = "${var.stack_name}-net"
}

resource "openstack_networking_subnet_v2" "subnet" {
  cidr       = "198.51.100.0/24"
  name       = "${var.stack_name}-subnet"
  network_id = openstack_networking_network_v2.net.id
}

resource "openstack_networking_secgroup_v2" "group" {
  name = "${var.stack_name}-group"
}

resource "openstack_networking_port_v2" "port" {
  name               = "${var.stack_name}-port"
  network_id         = openstack_networking_network_v2.net.id
  security_group_ids = [openstack_networking_secgroup_v2.group.id]
  depends_on         = [openstack_networking_subnet_v2.subnet]
}

resource "openstack_networking_trunk_v2" "trunk" {
  admin_state_up = true
  name           = "${var.stack_name}-trunk"
  port_id        = openstack_networking_port_v2.port.id
}

resource "openstack_networking_trunk_v2" "trunk_that_is_off" {
  admin_state_up = false
  name           = "${var.stack_name}-trunk_that_is_off"
  port_id        = data.openstack_networking_port_v2.other.id
}

# The provider reports no networks of it.
resource "openstack_networking_network_v2" "bare" {
  name = "${var.stack_name}-bare"
}

resource "openstack_networking_port_v2" "port_without_address" {
  name       = "${var.stack_name}-port_without_address"
  network_id = openstack_networking_network_v2.bare.id
  depends_on = [openstack_networking_subnet_v2.subnet]
}

resource "openstack_compute_instance_v2" "server_without_address" {
  flavor_name = "m1.small"
  image_name  = "debian"
  name        = "${var.stack_name}-server_without_address"

  network {
    port = openstack_networking_port_v2.port_without_address.id
  }

  lifecycle {
    ignore_changes = [network]
  }
}

resource "openstack_blockstorage_volume_v3" "data" {
  name = "${var.stack_name}-data"
  size = 5
}

resource "openstack_compute_instance_v2" "server_with_disk" {
  block_device {
    uuid                  = data.openstack_images_image_v2.debian.id
    source_type           = "image"
    destination_type      = "local"
    boot_index            = 0
    delete_on_termination = true
  }

  block_device {
    uuid                  = openstack_blockstorage_volume_v3.data.id
    source_type           = "volume"
    destination_type      = "volume"
    boot_index            = -1
    delete_on_termination = false
  }

  flavor_name = "m1.small"
  image_name  = "debian"
  metadata    = { rack = var.rack, spare = "true", labels = "{\"a\": \"b\"}", network = var.network }
  name        = "${var.stack_name}-server_with_disk"

  network {
    port = openstack_networking_port_v2.port.id
  }

  network {
    port = data.openstack_networking_port_v2.kept.id
  }
}

resource "openstack_compute_instance_v2" "swapping_server" {
  block_device {
    uuid                  = data.openstack_images_image_v2.debian.id
    source_type           = "image"
    destination_type      = "local"
    boot_index            = 0
    delete_on_termination = true
  }

  block_device {
    source_type           = "blank"
    destination_type      = "local"
    guest_format          = "swap"
    volume_size           = 512
    boot_index            = -1
    delete_on_termination = true
  }

  flavor_name = "m1.small"
  image_name  = "debian"
  metadata = {
    for key, value in var.labels :
    key => try(
      tostring(value),
      trimspace(
        replace(
          replace(
            replace(replace(jsonencode(value), "\\u003c", "<"), "\\u003e", ">"),
            "\\u0026",
            "&"
          ),
          "/((?:\"(?:[^\"\\\\]|\\\\.)*\"|[^\",:])*)([,:]|$)/",
          "$1$2 "
        )
      )
    )
  }
  name = "${var.stack_name}-swapping_server"

  network {
    uuid = openstack_networking_network_v2.net.id
  }

  network {
    port = openstack_networking_port_v2.port.id
  }

  user_data = "#!/bin/true"

  lifecycle {
    ignore_changes = [user_data]
  }
}

resource "openstack_compute_volume_attach_v2" "more" {
  instance_id = openstack_compute_instance_v2.swapping_server.id
  volume_id   = "more"
}

resource "openstack_compute_instance_v2" "server" {
  flavor_name = "m1.small"
  image_name  = "debian"
  name        = "${var.stack_name}-server"

  network {
    name = var.network
  }

  depends_on = [openstack_networking_subnet_v2.subnet]
}

resource "openstack_networking_floatingip_v2" "address" {
  pool = "public"
}

resource "openstack_networking_floatingip_associate_v2" "association" {
  floating_ip = openstack_networking_floatingip_v2.address.address
  port_id     = data.openstack_networking_port_v2.server.id
}

resource "openstack_networking_floatingip_v2" "second_address" {
  pool = "public"
}

resource "openstack_networking_floatingip_associate_v2" "second_association" {
  floating_ip = openstack_networking_floatingip_v2.second_address.address
  port_id     = try(openstack_compute_instance_v2.server_without_address.network[0].port, null)
}

resource "openstack_compute_flavor_v2" "flavor" {
  disk      = 0
  is_public = false
  name      = "${var.stack_name}-flavor"
  ram       = 512
  vcpus     = 1
}

resource "openstack_compute_flavor_access_v2" "flavor_tenant_0" {
  flavor_id = openstack_compute_flavor_v2.flavor.id
  tenant_id = data.openstack_identity_auth_scope_v3.scope.project_id
}

# ==> variables.tf <==
variable "network" {
  type     = string
  default  = "private"
  nullable = false
}

variable "labels" {
  type    = any
  default = { rack = 4 }
}

variable "rack" {
  type     = number
  default  = 4
  nullable = false
}

variable "kept" {
  type     = string
  default  = "fixed-port"
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
