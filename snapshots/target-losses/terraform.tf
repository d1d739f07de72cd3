# ==> main.tf <==
# What many targets cannot say

locals {
  config = join("\n", ["#cloud-config", yamlencode({ packages = ["nginx"] })])
  # Terraform has no function for the digest `blake2b`
  # lost: value: {type: string, value: {digest: [blake2b, {get_param: 'OS::stack_name'}]}}
  value = var.value
}

# Waits for the machine to call back.
# called: only Heat waits for signals
# left out: type: OS::Heat::WaitCondition
# left out: properties: handle: {get_resource: handle}
#       timeout: 600

# handle: only Heat waits for signals
# left out: type: OS::Heat::WaitConditionHandle

resource "random_password" "secret" {
  length  = 24
  special = false
}

# lost: max_size: 4
# lost: cooldown: {get_param: hours}
# lost: min_size: 1
resource "openstack_blockstorage_volume_v3" "group" {
  count = 2
  name  = "${var.stack_name}-group-${count.index}"
  size  = 1
}

# more: only Heat scales groups
# lost: type: OS::Heat::ScalingPolicy
# lost: properties: auto_scaling_group_id: {get_resource: group}
#       adjustment_type: change_in_capacity
#       scaling_adjustment: 1

# lost: update_policy: {}
resource "openstack_compute_instance_v2" "server" {
  admin_pass  = random_password.secret.result
  flavor_name = "m1.small"
  image_name  = "debian"
  name        = "${var.stack_name}-server"

  network {
    name = "private"
  }

  user_data = local.config

  lifecycle {
    ignore_changes = [user_data]
  }
}

# ==> variables.tf <==
# hours: nothing uses this parameter

variable "stack_name" {
  description = "Name of the stack"
  type        = string
  nullable    = false
}

variable "value" {
  description = "The value of value"
  type        = any
}

# ==> outputs.tf <==
output "curl" {
  value = "/bin/true"
}

# the attribute `show` of `server` (OS::Nova::Server): the raw record of the service, which the provider does not report
# lost: raw: {get_attr: [server, show]}

output "value" {
  value = local.value
}

# Terraform does not support yaql
# lost: made: {yaql: {expression: '$.data.len()', data: {get_attr: [group, refs]}}}

# ==> providers.tf <==
terraform {
  required_version = ">= 1.5"

  required_providers {
    openstack = { source = "terraform-provider-openstack/openstack", version = "~> 3.4" }
    random    = { source = "hashicorp/random", version = "~> 3.7" }
  }
}
