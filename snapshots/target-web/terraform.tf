# ==> main.tf <==
# A small site: one network, one server, an address that the world can reach.
# A web server on a network of its own

data "openstack_networking_network_v2" "public_net" {
  name = var.public_net
}

resource "openstack_networking_network_v2" "net" {
  name = "web"
}

# for documentation
resource "openstack_networking_subnet_v2" "subnet" {
  cidr            = "198.51.100.0/24"
  dns_nameservers = ["192.0.2.53"]
  name            = "${var.stack_name}-subnet"
  network_id      = openstack_networking_network_v2.net.id
}

resource "openstack_networking_router_v2" "router" {
  external_network_id = data.openstack_networking_network_v2.public_net.id
  name                = "${var.stack_name}-router"
}

resource "openstack_networking_router_interface_v2" "leg" {
  router_id = openstack_networking_router_v2.router.id
  subnet_id = openstack_networking_subnet_v2.subnet.id
}

# Only these ports are open.
resource "openstack_networking_secgroup_v2" "guard" {
  description = "the web, and ssh for administrators"
  name        = "${var.stack_name}-guard"
}

resource "openstack_networking_secgroup_rule_v2" "guard_rule_0" {
  security_group_id = openstack_networking_secgroup_v2.guard.id
  direction         = "ingress"
  ethertype         = "IPv4"
  protocol          = "tcp"
  port_range_min    = 443
  port_range_max    = 443
}

resource "openstack_networking_secgroup_rule_v2" "guard_rule_1" {
  security_group_id = openstack_networking_secgroup_v2.guard.id
  direction         = "ingress"
  ethertype         = "IPv4"
  protocol          = "tcp"
  port_range_min    = 22
  port_range_max    = 22
  remote_ip_prefix  = var.admin_cidr
}

resource "openstack_networking_port_v2" "port" {
  fixed_ip {
    subnet_id = openstack_networking_subnet_v2.subnet.id
  }

  name               = "${var.stack_name}-port"
  network_id         = openstack_networking_network_v2.net.id
  security_group_ids = [openstack_networking_secgroup_v2.guard.id]
  depends_on = [
    openstack_networking_secgroup_rule_v2.guard_rule_0,
    openstack_networking_secgroup_rule_v2.guard_rule_1,
  ]
}

# deletion_policy: Retain: Terraform refuses to destroy the resource, where Heat leaves it in place
# left out: metadata: {role: web}
resource "openstack_compute_instance_v2" "server" {
  flavor_name = var.flavor
  image_name  = var.image
  key_pair    = var.key
  name        = "web-1"

  network {
    port = openstack_networking_port_v2.port.id
  }

  user_data  = <<EOT
#!/bin/sh
echo "admin:${var.password}" | chpasswd
EOT
  depends_on = [openstack_networking_router_interface_v2.leg]

  lifecycle {
    prevent_destroy = true
  }
}

resource "openstack_networking_floatingip_v2" "address" {
  pool       = var.public_net
  port_id    = openstack_networking_port_v2.port.id
  depends_on = [openstack_networking_router_interface_v2.leg]
}

resource "openstack_blockstorage_volume_v3" "disk" {
  name = "${var.stack_name}-disk"
  size = 10
}

resource "openstack_compute_volume_attach_v2" "attached" {
  instance_id = openstack_compute_instance_v2.server.id
  volume_id   = openstack_blockstorage_volume_v3.disk.id
}

# ==> variables.tf <==
# label: Image
variable "image" {
  description = "What the server boots from"
  type        = string
  nullable    = false
  # left out: custom_constraint: glance.image
}

variable "flavor" {
  type     = string
  default  = "m1.small"
  nullable = false

  validation {
    condition     = contains(["m1.small", "m1.medium"], var.flavor)
    error_message = "A small one will do"
  }
}

variable "key" {
  type     = string
  default  = ""
  nullable = false
}

# Who may come in.
variable "admin_cidr" {
  type     = string
  default  = "192.0.2.0/24"
  nullable = false

  validation {
    condition     = can(regex("^[0-9./]+$", var.admin_cidr))
    error_message = "admin_cidr must match the pattern [0-9./]+."
  }
}

variable "public_net" {
  type     = string
  default  = "public"
  nullable = false
}

variable "password" {
  type      = string
  nullable  = false
  sensitive = true

  validation {
    condition     = length(var.password) >= 8 && length(var.password) <= 64
    error_message = "password must have a length of 8 to 64."
  }
}

variable "stack_name" {
  description = "Name of the stack"
  type        = string
  nullable    = false
}

# ==> outputs.tf <==
output "url" {
  description = "Where the site is"
  value       = "https://${[for host in [replace(replace(urlencode(replace(openstack_networking_floatingip_v2.address.address, "/^\\[(.*)\\]$/", "$1")), "+", "%20"), "%3A", ":")] : strcontains(host, ":") ? "[${host}]" : host][0]}/"
}

output "inside" {
  value     = openstack_compute_instance_v2.server.access_ip_v4
  sensitive = true
}

# ==> providers.tf <==
terraform {
  required_version = ">= 1.5"

  required_providers {
    openstack = { source = "terraform-provider-openstack/openstack", version = "~> 3.4" }
  }
}

# ==> terraform.tfvars <==
image  = "debian-13"
flavor = "m1.medium"
# password: TF_VAR_password=… in the shell's environment
