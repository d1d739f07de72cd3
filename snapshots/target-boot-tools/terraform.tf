# ==> main.tf <==
# Servers that boot with Heat's tools

locals {
  Web_script = <<EOT
#!/bin/sh
/opt/aws/bin/cfn-init
EOT
  Web_boot = join("\n", [
    "#cloud-config",
    yamlencode({
      bootcmd = ["cfn-create-aws-symlinks || true"]
      write_files = [
        {
          path        = "/var/lib/heat-cfntools/cfn-userdata"
          permissions = "0700"
          content     = local.Web_script
        },
        {
          path        = "/var/lib/heat-cfntools/cfn-init-data"
          permissions = "0600"
          content     = tostring(trimspace(replace(replace(replace(replace(jsonencode({ "AWS::CloudFormation::Init" = { config = { packages = { yum = { httpd = [] } }, files = { "/etc/httpd/conf.d/port.conf" = { content = "Listen ${var.Port}", mode = "000644" } } } } }), "\\u003c", "<"), "\\u003e", ">"), "\\u0026", "&"), "/((?:\"(?:[^\"\\\\]|\\\\.)*\"|[^\",:])*)([,:]|$)/", "$1$2 ")))
        },
      ]
      runcmd = [["/var/lib/heat-cfntools/cfn-userdata"]]
    }),
  ])
  Watched_script = "#!/bin/sh\n/opt/aws/bin/cfn-hup\n/opt/aws/bin/cfn-init --access-key ${var.Keys_id}"
  Watched_boot = join("\n", [
    "#cloud-config",
    yamlencode({
      bootcmd = ["cfn-create-aws-symlinks || true"]
      write_files = [
        {
          path        = "/var/lib/heat-cfntools/cfn-userdata"
          permissions = "0700"
          content     = local.Watched_script
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

resource "openstack_compute_instance_v2" "Web" {
  flavor_name = "m1.small"
  image_name  = "fedora"
  name        = "${var.stack_name}-Web"
  user_data   = local.Web_boot
}

resource "openstack_blockstorage_volume_v3" "Disk" {
  availability_zone = openstack_compute_instance_v2.Web.availability_zone
  name              = "${var.stack_name}-Disk"
  size              = 1
}

# Keys: only Heat's own API accepts the key
# lost: type: AWS::IAM::AccessKey
# lost: properties: {UserName: {Ref: User}}

# User: it is a user of Heat's own API, with no rights elsewhere
# lost: type: AWS::IAM::User

resource "openstack_compute_instance_v2" "Watched" {
  flavor_name = "m1.small"
  image_name  = "fedora"
  name        = "${var.stack_name}-Watched"
  user_data   = local.Watched_boot
}

# left out: metadata: {role: data}
resource "openstack_compute_instance_v2" "Plain" {
  flavor_name = "m1.small"
  image_name  = "fedora"
  name        = "${var.stack_name}-Plain"
  user_data   = <<EOT
#!/bin/sh
cfn-init
EOT
}

# ==> variables.tf <==
variable "Port" {
  type     = number
  default  = 8080
  nullable = false
}

variable "Keys_id" {
  description = "Replaces `get_resource` in Watched_script: `Keys` is not there: only Heat's own API accepts the key"
  type        = string
  nullable    = false
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
