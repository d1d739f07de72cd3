#!/usr/bin/env python3
"""targets/pulumi/generate.py PULUMI_SCHEMA TERRAFORM_SCHEMA NAMES > targets/pulumi/names.yaml

Makes the table of names from three JSON files: the Pulumi provider's schema (resources, types, functions),
the Terraform provider's (resources and data sources, with `max_items`), and the names of arguments that are
known to correspond: `pulumi_openstack_schema.json`, `terraform_openstack_schema.json` and
`terraform_to_pulumi_names.json` in `tools/facts`. What follows from the rule (snake_case to camelCase) is left out of the table; every name
is checked against the Pulumi schema on the way.
"""
import json
import sys


def camel(name):
    first, *rest = name.split('_')
    return first + ''.join(part[:1].upper() + part[1:] for part in rest)


def plural(name):
    if name.endswith('y'):
        return name[:-1] + 'ies'
    return name + 's'


def referred(kind):
    """The type that a property holds, alone or in a list."""
    if isinstance(kind, dict):
        if 'ref' in kind:
            return kind['ref']
        if isinstance(kind.get('array'), dict):
            return kind['array'].get('ref')
    return None


def is_list(kind):
    return isinstance(kind, dict) and 'array' in kind


def block(attributes, properties, known, types):
    """The exceptions among the attributes of an object, and of the blocks in it."""
    renamed, single, inside = {}, [], {}
    for name, attribute in attributes.items():
        to = known.get(name)
        if to is None:
            names = [camel(name), plural(camel(name))]
            to = next((each for each in names if each in properties), None)
        if to is None or to not in properties:
            continue
        if to != camel(name):
            renamed[name] = to
        kind = properties[to]['type']
        if attribute.get('kind') != 'block':
            if attribute['type'] in ('list', 'set') and not is_list(kind):
                single.append(name)
            continue
        if not is_list(kind):
            single.append(name)
        ref = referred(kind)
        if ref in types:
            found = block(attribute['attributes'], types[ref], {}, types)
            if found:
                inside[name] = found
    found = {}
    if renamed:
        found['renamed'] = renamed
    if single:
        found['single'] = single
    if inside:
        found['inside'] = inside
    return found


# Data sources whose tokens do not follow from their names.
TOKENS = {
    'openstack_dns_zone_v2': 'openstack:dns/getDnsZone:getDnsZone',
    'openstack_sharedfilesystem_availability_zones_v2':
        'openstack:sharedfilesystem/getAvailbilityZones:getAvailbilityZones',
}
MODULES = {'lb': 'loadbalancer', 'fw': 'firewall', 'db': 'database'}


def function(name, functions):
    """The function that a data source is."""
    if name in TOKENS:
        return TOKENS[name]
    module, *rest = name.removeprefix('openstack_').split('_')
    module = MODULES.get(module, module)
    flat = lambda parts: ''.join(parts).lower()
    wanted = [flat(['get', *rest]), flat(['get', *rest[:-1]])]
    for text in wanted:
        for token in functions:
            parts = token.split(':')
            if len(parts) == 3 and parts[1].lower() == f'{module}/{text}':
                return token
    return None


def flow(value):
    """A value in YAML's flow style."""
    if isinstance(value, dict):
        return '{ ' + ', '.join(f'{key}: {flow(each)}' for key, each in value.items()) + ' }'
    if isinstance(value, list):
        return '[' + ', '.join(value) + ']'
    return value


def main(pulumi, terraform, names):
    pulumi, terraform, names = (json.load(open(path)) for path in (pulumi, terraform, names))
    print('# Made by generate.py. Names that follow from the rule (snake_case to camelCase) are not listed.')
    print(f'checked_against: pulumi-openstack {pulumi["schema_version"]}')
    print('resources:')
    for name in sorted(names):
        resource = terraform['resources'][name]
        token = resource['pulumi']
        schema = pulumi['resources'][token]
        properties = {**schema['outputs'], **schema['inputs']}
        found = block(resource['attributes'], properties, names[name], pulumi['types'])
        print(f'  {name}:')
        print(f'    token: {token}')
        for key, value in found.items():
            print(f'    {key}: {flow(value)}')
    print('functions:')
    for name in sorted(terraform['data_sources']):
        token = function(name, pulumi['functions'])
        if token:
            print(f'  {name}: {token}')


main(*sys.argv[1:])
