#!/usr/bin/env bash
# A small site: one network, one server, an address that the world can reach.
#
# A web server on a network of its own
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
# What the server boots from
[[ -v image ]] || image='debian-13'
[[ -v flavor ]] || flavor='m1.medium'
[[ -v key ]] || key=''
# Who may come in.
[[ -v admin_cidr ]] || admin_cidr='192.0.2.0/24'
[[ -v public_net ]] || public_net='public'
: "${password:?the parameter is required}"

id_of_net="$(openstack network create -f value -c id \
  'web')"

# for documentation
id_of_subnet="$(openstack subnet create -f value -c id \
  --network "$id_of_net" \
  --subnet-range '198.51.100.0/24' \
  --dns-nameserver '192.0.2.53' \
  "$stack_name"'-subnet')"

id_of_router="$(openstack router create -f value -c id \
  "$stack_name"'-router')"
openstack router set --external-gateway "$public_net" \
  "$id_of_router"

openstack router add subnet "$id_of_router" "$id_of_subnet"
id_of_leg=''

# Only these ports are open.
id_of_guard="$(openstack security group create -f value -c id \
  --description 'the web, and ssh for administrators' \
  "$stack_name"'-guard')"
openstack security group rule create --ingress --protocol 'tcp' \
  --dst-port '443':'443' \
  "$id_of_guard" > /dev/null
openstack security group rule create --ingress --protocol 'tcp' \
  --dst-port '22':'22' \
  --remote-ip "$admin_cidr" \
  "$id_of_guard" > /dev/null

id_of_port="$(openstack port create -f value -c id \
  --network "$id_of_net" \
  --fixed-ip subnet="$id_of_subnet" \
  --security-group "$id_of_guard" \
  "$stack_name"'-port')"

id_of_server="$(openstack server create --wait -f value -c id \
  --image "$image" \
  --flavor "$flavor" \
  --key-name "$key" \
  --nic port-id="$id_of_port" \
  --user-data <(printf '%s' "$(replace '#!/bin/sh
echo "admin:PASSWORD" | chpasswd
' 'PASSWORD' "$password")") \
  'web-1')"


id_of_address="$(openstack floating ip create -f value -c id \
  --port "$id_of_port" \
  "$public_net")"

id_of_disk="$(openstack volume create -f value -c id \
  --size '10' \
  "$stack_name"'-disk')"
while status="$(openstack volume show -f value -c status "$id_of_disk")" && [[ "$status" != available ]]; do
  [[ "$status" != error* ]] || exit 1
  sleep 2
done

openstack server add volume "$id_of_server" "$id_of_disk"

# The outputs.
printf '%s: %s\n' 'url' ''
printf '%s: %s\n' 'inside' ''
