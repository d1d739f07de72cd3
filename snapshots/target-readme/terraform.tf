# ==> main.tf <==
# Backed up every night.
# deletion_policy: Retain: Terraform refuses to destroy the resource, where Heat leaves it in place
resource "openstack_blockstorage_volume_v3" "disk" {
  name = "${var.stack_name}-data"
  size = var.size

  lifecycle {
    prevent_destroy = true
  }
}

# called: only Heat waits for signals
# lost: type: OS::Heat::WaitConditionHandle

# ==> variables.tf <==
variable "size" {
  type     = number
  default  = 10
  nullable = false

  validation {
    condition     = var.size >= 1 && var.size <= 100
    error_message = "size must be 1 to 100."
  }
}

variable "stack_name" {
  description = "Name of the stack"
  type        = string
  nullable    = false
}

# ==> outputs.tf <==
output "disk" {
  value = openstack_blockstorage_volume_v3.disk.id
}

# ==> providers.tf <==
terraform {
  required_version = ">= 1.5"

  required_providers {
    openstack = { source = "terraform-provider-openstack/openstack", version = "~> 3.4" }
  }
}
