# ==> main.tf <==
# Scripts whose files are missing, in the root template and in a group of nested stacks

# The script of the root template has one unread part.
resource "openstack_compute_instance_v2" "gateway" {
  flavor_name = "small"
  image_name  = "cirros"
  name        = "${var.stack_name}-gateway"

  network {
    name = "lab"
  }

  user_data = replace(var.gateway_get_file, "%NAME%", "gateway")
}

module "workers" {
  source        = "./modules/worker"
  count         = var.size
  name          = "worker-${count.index}"
  boot_get_file = var.workers_boot_get_file
}

# Another template has a part of the same name, which is not the same script.
module "store" {
  source        = "./modules/store"
  boot_get_file = var.store_boot_get_file
  stack_name    = "${var.stack_name}-store"
}

# ==> variables.tf <==
variable "size" {
  type     = number
  default  = 2
  nullable = false
}

variable "gateway_get_file" {
  description = "Replaces `get_file` in gateway: `scripts/gateway.sh` was not read"
  type        = string
  nullable    = false
}

variable "stack_name" {
  description = "Name of the stack"
  type        = string
  nullable    = false
}

variable "workers_boot_get_file" {
  description = "Replaces `get_file` in boot: `scripts/boot.sh` was not read (workers)"
  type        = string
  nullable    = false
}

variable "store_boot_get_file" {
  description = "Replaces `get_file` in boot: `scripts/boot-store.sh` was not read (store)"
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

# ==> modules/worker/main.tf <==
locals {
  boot = var.boot_get_file
}

data "cloudinit_config" "parts" {
  gzip          = false
  base64_encode = false

  part {
    content_type = "text/plain"
    content      = local.boot
  }

  part {
    content_type = "text/plain"
    content      = <<EOT
#!/bin/sh
echo up
EOT
  }
}

resource "openstack_compute_instance_v2" "server" {
  flavor_name = "small"
  image_name  = "cirros"
  name        = var.name

  network {
    name = "lab"
  }

  user_data = data.cloudinit_config.parts.rendered
}

# ==> modules/worker/variables.tf <==
variable "name" {
  type     = string
  nullable = false
}

variable "boot_get_file" {
  description = "Replaces `get_file` in boot: `scripts/boot.sh` was not read"
  type        = string
  nullable    = false
}

# ==> modules/worker/providers.tf <==
terraform {
  required_version = ">= 1.5"

  required_providers {
    openstack = { source = "terraform-provider-openstack/openstack", version = "~> 3.4" }
    cloudinit = { source = "hashicorp/cloudinit", version = "~> 2.3" }
  }
}

# ==> modules/store/main.tf <==
locals {
  boot = var.boot_get_file
}

resource "openstack_compute_instance_v2" "server" {
  flavor_name = "small"
  image_name  = "cirros"
  name        = "${var.stack_name}-server"

  network {
    name = "lab"
  }

  user_data = local.boot
}

# ==> modules/store/variables.tf <==
variable "boot_get_file" {
  description = "Replaces `get_file` in boot: `scripts/boot-store.sh` was not read"
  type        = string
  nullable    = false
}

variable "stack_name" {
  description = "Name of the stack"
  type        = string
  nullable    = false
}

# ==> modules/store/providers.tf <==
terraform {
  required_version = ">= 1.5"

  required_providers {
    openstack = { source = "terraform-provider-openstack/openstack", version = "~> 3.4" }
  }
}
