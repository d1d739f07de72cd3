# ==> main.tf <==
# Every function, over parameters

locals {
  many = !(var.count_ == 1)
  both = local.many && var.flag
  any  = local.many || var.text == ""
}

data "openstack_identity_auth_scope_v3" "scope" {
  name = "scope"
}

# ==> variables.tf <==
variable "names" {
  type     = list(string)
  default  = ["a", "b"]
  nullable = false
}

variable "count_" {
  type     = number
  default  = 3
  nullable = false
}

variable "flag" {
  type     = bool
  default  = true
  nullable = false
}

variable "tree" {
  type    = any
  default = { a = { b = [10, 20] }, k = "v" }
}

variable "text" {
  type     = string
  default  = "x y z"
  nullable = false
}

variable "stack_name" {
  description = "Name of the stack"
  type        = string
  nullable    = false
}

variable "stack_id" {
  description = "ID of the stack, which only Heat has"
  type        = string
  nullable    = false
}

# ==> outputs.tf <==
output "path" {
  value = try(var.tree.a.b[1], "")
}

output "join" {
  value = join("-", concat(var.names, ["end"]))
}

output "split" {
  value = split(" ", var.text)[1]
}

output "replace" {
  value = "a ${var.text} and ${var.count_}"
}

output "strict" {
  value = "count=${var.count_}"
}

output "chosen" {
  value = [var.count_, "none"][local.both ? 0 : 1]
}

output "repeated" {
  value = concat([], [for n in var.names : [for m in ["1", "2"] : { name = n, number = m }]]...)
}

output "zipped" {
  value = [
    for index0 in range(min(length(var.names), length(["x", "y"]))) :
    "${var.names[index0]}=${["x", "y"][index0]}"
  ]
}

output "digest" {
  value = sha256(var.text)
}

output "sha3" {
  value = "976a734bf68602ac19b2965bc074b7501fa51efff49ea0697a832c56bb6a9ef4"
}

output "merged" {
  value = merge(var.tree, { k = "w" })
}

output "replaced" {
  value = {
    for key, value in var.tree :
    try(coalesce({ k = "key" }[key], key), key) => try({ "\"v\"" = "value" }[jsonencode(value)], value)
  }
}

output "concat" {
  value = concat(var.names, ["z"])
}

output "unique" {
  value = distinct(concat(var.names, ["a", "z"]))
}

output "filtered" {
  value = [for item in var.names : item if !contains(["a"], item)]
}

output "contained" {
  value = contains(var.names, "web")
}

# Terraform does not support yaql
# lost: yaql: {yaql: {expression: $.data.where($ != a), data: {get_param: names}}}

output "url" {
  value = "http://[::1]${var.count_ == "" ? "" : ":${var.count_}"}/a%20b?q=a+b"
}

output "stack" {
  value = var.stack_name
}

output "project" {
  value = data.openstack_identity_auth_scope_v3.scope.project_id
}

output "id" {
  value = var.stack_id
}

output "dropped" {
  value = local.any ? concat(["one"], [for item in ["two"] : item if local.many]) : null
}

# ==> providers.tf <==
terraform {
  required_version = ">= 1.5"

  required_providers {
    openstack = { source = "terraform-provider-openstack/openstack", version = "~> 3.4" }
  }
}

# ==> terraform.tfvars <==
names = ["web", "db"]
