#!/usr/bin/env bash
# Texts that look like the syntax of a target, beside references.
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
[[ -v price ]] || price='12'
[[ -v template ]] || template='a b c'
[[ -v labels ]] || labels='{"{{ key }}":"{{ value }}","${key}":"${value}"}'

is_known() {
  { [[ "$price" == '1' ]] || [[ "$price" == '2' ]] || [[ "$price" == '3' ]] || [[ "$price" == '4' ]] || [[ "$price" == '5' ]] || [[ "$price" == '6' ]] || [[ "$price" == '7' ]] || [[ "$price" == '8' ]] || [[ "$price" == '12' ]]; }
}

id_of_server="$(openstack server create --wait -f value -c id \
  --image 'debian-13' \
  --flavor 'm1.small' \
  --nic net-id='private' \
  --user-data <(printf '%s' "$(replace '#!/bin/sh
price=$@price@
echo "$${price} ${price} ${} %{price} {{ price }} {% @price@"
' '@price@' "$price")") \
  'server')"

# The outputs.
printf '%s: %s\n' 'dollars' '$'''"$price"''' $$'''"$price"'''%'''"$price"'''${'
printf '%s: %s\n' 'heredocs' ''
printf '%s: %s\n' 'keys' ''
printf '%s: %s\n' 'labels' "$labels"
printf '%s: %s\n' 'known' "$(if is_known; then printf '%s' 'yes'; else printf '%s' 'no'; fi)"
printf '%s: %s\n' 'replaced' "$(replace "$template" 'a' '1' 'b' '2' 'c' "$price")"
