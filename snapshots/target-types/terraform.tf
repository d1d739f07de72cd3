# ==> main.tf <==
data "openstack_lb_loadbalancer_v2" "lb" {
  name = "lb"
}

data "openstack_networking_subnet_v2" "private" {
  name = "private"
}

data "openstack_networking_network_v2" "public" {
  name = "public"
}

resource "openstack_compute_instance_v2" "server" {
  flavor_name = "small"
  image_name  = "cirros"
  metadata = {
    role    = "web"
    name    = var.name
    ports   = "[80, 443]"
    limits  = "{\"memory\": 1.5, \"swap\": null, \"note\": \"\\u00e9 <&> \\\"quoted\\\"\"}"
    truth   = "true"
    nothing = "null"
    computed = trimspace(
      replace(
        replace(
          replace(replace(jsonencode([var.name]), "\\u003c", "<"), "\\u003e", ">"),
          "\\u0026",
          "&"
        ),
        "/((?:\"(?:[^\"\\\\]|\\\\.)*\"|[^\",:])*)([,:]|$)/",
        "$1$2 "
      )
    )
  }
  name = "${var.stack_name}-server"

  network {
    name = "private"
  }

  depends_on = [openstack_networking_subnet_v2.subnet]
}

resource "openstack_compute_instance_v2" "computed" {
  flavor_name = "small"
  image_name  = "cirros"
  metadata = {
    for key, value in var.metadata :
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
  name = "${var.stack_name}-computed"

  network {
    name = "private"
  }

  depends_on = [openstack_networking_subnet_v2.subnet]
}

resource "openstack_networking_network_v2" "net" {
  name        = "${var.stack_name}-net"
  value_specs = { mtu = 1400 }
}

resource "openstack_lb_listener_v2" "listener" {
  admin_state_up  = contains(["true", "t", "on", "y", "yes", "1"], lower(var.up))
  loadbalancer_id = data.openstack_lb_loadbalancer_v2.lb.id
  name            = "${var.stack_name}-listener"
  protocol        = "HTTP"
  protocol_port   = var.port
}

resource "openstack_lb_pool_v2" "pool" {
  lb_method   = "ROUND_ROBIN"
  listener_id = openstack_lb_listener_v2.listener.id
  name        = "${var.stack_name}-pool"
  protocol    = "HTTP"
}

resource "openstack_lb_member_v2" "member" {
  address       = "10.0.0.5"
  pool_id       = openstack_lb_pool_v2.pool.id
  protocol_port = 80
  subnet_id     = data.openstack_networking_subnet_v2.private.id
}

resource "openstack_networking_network_v2" "inside" {
  name = "${var.stack_name}-inside"
}

resource "openstack_networking_subnet_v2" "subnet" {
  cidr       = "10.0.0.0/24"
  name       = "${var.stack_name}-subnet"
  network_id = openstack_networking_network_v2.inside.id
}

resource "openstack_networking_router_v2" "router" {
  external_network_id = data.openstack_networking_network_v2.public.id
  name                = "${var.stack_name}-router"
}

resource "openstack_networking_router_interface_v2" "interface" {
  router_id = openstack_networking_router_v2.router.id
  subnet_id = openstack_networking_subnet_v2.subnet.id
}

resource "openstack_networking_port_v2" "door" {
  name       = "${var.stack_name}-door"
  network_id = openstack_networking_network_v2.inside.id
  depends_on = [openstack_networking_subnet_v2.subnet]
}

resource "openstack_networking_floatingip_v2" "address" {
  pool       = "public"
  port_id    = openstack_networking_port_v2.door.id
  depends_on = [openstack_networking_router_interface_v2.interface]
}

# ==> variables.tf <==
# What clients of targets take in their own types only, or not beside each other.

variable "port" {
  type     = string
  default  = "8080"
  nullable = false
}

variable "up" {
  type     = string
  default  = "true"
  nullable = false
}

variable "name" {
  type     = string
  default  = "web"
  nullable = false
}

variable "metadata" {
  type    = any
  default = { role = "web", ports = [80, 443] }
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
