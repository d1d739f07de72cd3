# ==> main.tf <==
locals {
  web_script = <<EOT
#!/bin/sh
/opt/aws/bin/cfn-init
EOT
  web_boot = join("\n", [
    "#cloud-config",
    yamlencode({
      bootcmd = ["cfn-create-aws-symlinks || true"]
      write_files = [
        {
          path        = "/var/lib/heat-cfntools/cfn-userdata"
          permissions = "0700"
          content     = local.web_script
        },
        {
          path        = "/var/lib/heat-cfntools/cfn-init-data"
          permissions = "0600"
          content     = "{\"AWS::CloudFormation::Init\": {\"config\": {\"packages\": {\"yum\": {\"httpd\": []}}}}}"
        },
      ]
      runcmd = [["/var/lib/heat-cfntools/cfn-userdata"]]
    }),
  ])
  fixed_script = <<EOT
#!/bin/sh
/opt/aws/bin/cfn-init
EOT
  fixed_boot = join("\n", [
    "#cloud-config",
    yamlencode({
      bootcmd = ["cfn-create-aws-symlinks || true"]
      write_files = [
        {
          path        = "/var/lib/heat-cfntools/cfn-userdata"
          permissions = "0700"
          content     = local.fixed_script
        },
        {
          path        = "/var/lib/heat-cfntools/cfn-init-data"
          permissions = "0600"
          content     = "{\"AWS::CloudFormation::Init\": {\"config\": {\"packages\": {\"yum\": {\"httpd\": []}}}}}"
        },
      ]
      runcmd = [["/var/lib/heat-cfntools/cfn-userdata"]]
    }),
  ])
}

resource "openstack_networking_secgroup_v2" "group" {
  description = "web"
  name        = "${var.stack_name}-group"
}

# launch: it creates nothing
# lost: type: AWS::AutoScaling::LaunchConfiguration

# left out: max_size: 3
# left out: min_size: 1
resource "openstack_compute_instance_v2" "web" {
  count           = var.size
  flavor_name     = "m1.small"
  image_name      = "fedora"
  metadata        = { role = "web" }
  name            = "${var.stack_name}-web-${count.index}"
  security_groups = [openstack_networking_secgroup_v2.group.name]
  user_data       = local.web_boot
}

resource "openstack_compute_instance_v2" "fixed" {
  count           = 2
  flavor_name     = "m1.small"
  image_name      = "fedora"
  name            = "${var.stack_name}-fixed-${count.index}"
  security_groups = [openstack_networking_secgroup_v2.group.name]
  user_data       = local.fixed_boot
}

# ==> variables.tf <==
variable "size" {
  type     = number
  default  = 2
  nullable = false
}

variable "stack_name" {
  description = "Name of the stack"
  type        = string
  nullable    = false
}

# ==> outputs.tf <==
output "addresses" {
  value = join(",", openstack_compute_instance_v2.web[*].access_ip_v4)
}

# ==> providers.tf <==
terraform {
  required_version = ">= 1.5"

  required_providers {
    openstack = { source = "terraform-provider-openstack/openstack", version = "~> 3.4" }
  }
}
