#!/usr/bin/env bash
# Scripts whose files are missing, in the root template and in a group of nested stacks
#
# Creates the resources with `openstack`, whose credentials are in the environment (OS_CLOUD, or an RC file).
# Parameters are variables of the environment: NAME=VALUE … bash SCRIPT
# Texts of the template are in single quotes, and an ID may be of use only to those who extend the script:
# shellcheck disable=SC1078,SC1079,SC2016,SC2034
set -euo pipefail

# Replaces placeholders in a text, the longest first: replace TEXT PLACEHOLDER VALUE … What was put in is not searched.
replace() {
  local text="$1" rest=("${@:2}") at=0 i key value
  if ((${#rest[@]} == 0)); then
    printf '%s' "$text"
    return
  fi
  for ((i = 2; i < ${#rest[@]}; i += 2)); do
    if ((${#rest[i]} > ${#rest[at]})); then at=$i; fi
  done
  key="${rest[at]}" value="${rest[at + 1]}"
  rest=("${rest[@]:0:at}" "${rest[@]:at + 2}")
  while [[ "$text" == *"$key"* ]]; do
    replace "${text%%"$key"*}" ${rest[@]+"${rest[@]}"}
    printf '%s' "$value"
    text="${text#*"$key"}"
  done
  replace "$text" ${rest[@]+"${rest[@]}"}
}

# The name of the stack begins the names of resources that have none.
: "${stack_name:?the name of the stack is required}"
[[ -v size ]] || size='2'

# The script of the root template has one unread part.
id_of_gateway="$(openstack server create --wait -f value -c id \
  --image 'cirros' \
  --flavor 'small' \
  --nic net-id='lab' \
  --user-data <(printf '%s' "$(replace '' '%NAME%' 'gateway')") \
  "$stack_name"'-gateway')"

# lost: workers (OS::Heat::ResourceGroup)

# Another template has a part of the same name, which is not the same script.

# lost: store (nested/store.yaml)
