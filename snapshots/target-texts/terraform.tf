# ==> main.tf <==
# Texts that look like the syntax of a target, beside references.

locals {
  known = anytrue([
    var.price == "1",
    var.price == "2",
    var.price == "3",
    var.price == "4",
    var.price == "5",
    var.price == "6",
    var.price == "7",
    var.price == "8",
    var.price == "12",
  ])
}

resource "openstack_compute_instance_v2" "server" {
  flavor_name = "m1.small"
  image_name  = "debian-13"
  name        = "server"

  network {
    name = "private"
  }

  user_data = <<EOT
#!/bin/sh
price=${"$"}${var.price}
echo "$$${price} $${price} $${} %%{price} {{ price }} {% ${var.price}"
EOT
}

# ==> variables.tf <==
variable "price" {
  type     = string
  default  = "12"
  nullable = false
}

variable "template" {
  type     = string
  default  = "a b c"
  nullable = false
}

variable "labels" {
  type    = any
  default = { "{{ key }}" = "{{ value }}", "$${key}" = "$${value}" }
}

# ==> outputs.tf <==
output "dollars" {
  value = "${"$"}${var.price} ${"$$"}${var.price}%${var.price}$${"
}

output "heredocs" {
  value = ["one\ntwo\n${var.price}\n", "three\nfour\n${"$"}${var.price}\n"]
}

output "keys" {
  value = [for p in [var.price] : { "${"$"}${p}" = "{${p}" }]
}

output "labels" {
  value = var.labels
}

output "known" {
  value = local.known ? "yes" : "no"
}

output "replaced" {
  value = join("", [
    for part in regexall("a|b|c|[^abc]+|(?s:.)", var.template) :
    lookup({ a = "1", b = "2", c = var.price }, part, part)
  ])
}

# ==> providers.tf <==
terraform {
  required_version = ">= 1.5"

  required_providers {
    openstack = { source = "terraform-provider-openstack/openstack", version = "~> 3.4" }
  }
}
