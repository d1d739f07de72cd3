# ==> main.tf <==
locals {
  config = <<EOT
#!/bin/sh
/bin/true
echo ${var.name}
EOT
  cloud = join("\n", [
    "#cloud-config",
    yamlencode({ hostname = var.name, runcmd = ["/bin/true", "echo up"] }),
  ])
}

# wait: only Heat waits for signals
# lost: type: OS::Heat::WaitConditionHandle

# What a server calls when it is up.
resource "openstack_compute_instance_v2" "replaced" {
  flavor_name = "small"
  image_name  = var.name
  name        = "${var.stack_name}-replaced"

  network {
    name = "private"
  }

  user_data = <<EOT
#!/bin/sh
echo ${var.name} > /etc/motd
/bin/true --data-binary '{"status": "SUCCESS"}'
EOT
}

resource "openstack_compute_instance_v2" "strict" {
  flavor_name = "small"
  image_name  = var.name
  name        = "${var.stack_name}-strict"

  network {
    name = "private"
  }

  user_data = <<EOT
#!/bin/sh
echo ${var.strict_yaql} of ${var.name}, ${var.strict_yaql_2}
EOT
}

resource "openstack_compute_instance_v2" "joined" {
  flavor_name = "small"
  image_name  = var.name
  name        = "${var.stack_name}-joined"

  network {
    name = "private"
  }

  user_data = "#!/bin/sh\ndo /bin/true\necho ${var.name}\n${var.joined_yaql}"
}

data "cloudinit_config" "parts" {
  gzip          = false
  base64_encode = false

  part {
    content_type = "text/plain"
    content      = local.config
  }

  part {
    filename     = "two.sh"
    content_type = "text/two"
    content = chomp(<<EOT
#!/bin/sh
/bin/true
echo
EOT
    )
  }
}

resource "openstack_compute_instance_v2" "of_config" {
  flavor_name = "small"
  image_name  = var.name
  name        = "${var.stack_name}-of_config"

  network {
    name = "private"
  }

  user_data = local.config
}

resource "openstack_compute_instance_v2" "of_cloud" {
  flavor_name = "small"
  image_name  = var.name
  name        = "${var.stack_name}-of_cloud"

  network {
    name = "private"
  }

  user_data = local.cloud
}

# Only a deployment reads its script, so a result without Heat has neither.
# agent_script: nothing reads it but software deployments, which only Heat has
# left out: type: OS::Heat::SoftwareConfig
# left out: properties: {group: script, config: {list_join: ["\n", ["#!/bin/sh", {get_param: name}]]}}

# agent: an agent in the guest fetches the software from Heat
# lost: type: OS::Heat::SoftwareDeployment
# lost: properties: {config: {get_resource: agent_script}, server: agent}

resource "openstack_compute_instance_v2" "of_parts" {
  flavor_name = "small"
  image_name  = var.name
  name        = "${var.stack_name}-of_parts"

  network {
    name = "private"
  }

  personality {
    file    = "/etc/motd"
    content = "welcome\n/bin/true"
  }

  personality {
    file    = "/etc/issue"
    content = "fixed"
  }

  user_data = data.cloudinit_config.parts.rendered
}

module "node" {
  source     = "./modules/node"
  name       = var.name
  stack_name = "${var.stack_name}-node"
}

# ==> variables.tf <==
# Scripts with a part that most targets cannot express keep the rest.

variable "name" {
  type     = string
  default  = "web"
  nullable = false
}

# count: nothing uses this parameter

# password: nothing uses this parameter

variable "strict_yaql" {
  description = "Replaces `yaql` in strict: Terraform does not support yaql"
  type        = string
  nullable    = false
}

variable "joined_yaql" {
  description = "Replaces `yaql` in joined: Terraform does not support yaql"
  type        = string
  nullable    = false
}

variable "strict_yaql_2" {
  description = "Replaces `yaql` in strict: Terraform does not support yaql"
  type        = string
  nullable    = false
  sensitive   = true
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
    cloudinit = { source = "hashicorp/cloudinit", version = "~> 2.3" }
  }
}

# ==> modules/node/main.tf <==
# wait: only Heat waits for signals
# lost: type: OS::Heat::WaitConditionHandle

resource "openstack_compute_instance_v2" "server" {
  flavor_name = "small"
  image_name  = "cirros"
  name        = "${var.stack_name}-server"

  network {
    name = "private"
  }

  user_data = <<EOT
#!/bin/sh
/bin/true
echo ${var.name}
EOT
}

# ==> modules/node/variables.tf <==
variable "name" {
  type     = string
  nullable = false
}

variable "stack_name" {
  description = "Name of the stack"
  type        = string
  nullable    = false
}

# ==> modules/node/providers.tf <==
terraform {
  required_version = ">= 1.5"

  required_providers {
    openstack = { source = "terraform-provider-openstack/openstack", version = "~> 3.4" }
  }
}
