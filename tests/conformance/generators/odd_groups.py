"""A deployment of odd groups and nested templates: what converts, what is refused, what is read twice."""

INNER = """\
heat_template_version: pike
parameters:
  s: {type: string, default: d}
  n: {type: number, default: 1}
  b: {type: boolean, default: false}
  l: {type: comma_delimited_list, default: 'x,y'}
  j: {type: json, default: {}}
resources:
  v: {type: OS::Heat::Value, properties: {value: {resource_facade: metadata}}}
outputs:
  o: {value: {get_param: l}}
  f: {value: {resource_facade: deletion_policy}}
"""

ROOT = """\
heat_template_version: pike
parameters:
  jp: {type: json, default: {get_param: s, z: 1}}
  one: {type: json, default: {get_resource: "0"}}
  call: {type: json, default: {Fn::Join: ['', [a]]}}
  nul: {type: json, default: null}
resources:
  a: {type: inner.yaml, metadata: {m: 1}, deletion_policy: Retain, properties: {s: true, n: '5', b: 'TRUE', l: 'p,q', j: [1, {a: b}]}}
  b: {type: inner.yaml, properties: {s: null, n: null, b: null, l: null, j: null}}
  c: {type: inner.yaml, properties: {l: [{a: 1, b: c}, {d: null}], j: '{"x": 1}'}}
  d: {type: inner.yaml, properties: {l: [a, null, 'b,c'], j: 'no json'}}
  e: {type: inner.yaml, properties: {s: 1.5}}
  f: {type: inner.yaml, properties: {b: yes please}}
  g: {type: inner.yaml, properties: {l: [1]}}
  h: {type: inner.yaml, properties: {n: abc}}
  i: {type: inner.yaml, properties: {j: 5}}
  k: {type: inner.yaml, properties: {zz: 5}}
  rg1: {type: OS::Heat::ResourceGroup, metadata: {k: v}, properties: {count: '3', index_var: '-I-', resource_def: {type: inner.yaml, metadata: {x: '-I-'}, properties: {s: 'a-I-b', l: ['-I-', x], j: {'-I-': '-I-', deep: ['-I-', null, {a: null}]}, n: null}}, removal_policies: [{resource_list: ['1', 3]}]}}
  rg2: {type: OS::Heat::ResourceGroup, properties: {resource_def: {type: OS::Heat::Value, properties: {value: {get_param: one}, type: json}}}}
  rg3: {type: OS::Heat::ResourceGroup, properties: {count: 0, resource_def: {type: OS::Heat::Value}}}
  rg4: {type: OS::Heat::ResourceGroup, properties: {count: 2.7, resource_def: {type: OS::Heat::Value, properties: {value: {get_param: call}}}}}
  rg5: {type: OS::Heat::ResourceGroup, properties: {count: null, resource_def: {type: OS::Heat::Value, properties: null, metadata: null}}}
  rg6: {type: OS::Heat::ResourceGroup, properties: {count: -1, resource_def: {type: OS::Heat::Value}}}
  rg7: {type: OS::Heat::ResourceGroup, properties: {resource_def: {type: OS::Heat::Value, properties: {value: {get_param: jp}}}}}
  rg8: {type: OS::Heat::ResourceGroup, properties: {resource_def: {properties: {}}}}
  rg9: {type: OS::Heat::ResourceGroup, properties: {count: true, index_var: null, resource_def: {type: OS::Heat::Value, properties: {value: 'x%index%'}}}}
  rg10: {type: OS::Heat::ResourceGroup, properties: {resource_def: {type: OS::Heat::Value, properties: {value: {list_concat: [[a], [b]]}}}, index_var: ''}}
  rg11: {type: OS::Heat::ResourceGroup, properties: {resource_def: {type: OS::Heat::Value, foo: 1}}}
  ch1: {type: OS::Heat::ResourceChain, properties: {resources: [OS::Heat::Value, inner.yaml, OS::Heat::None], resource_properties: {value: null, x: {get_param: call}}}}
  ch2: {type: OS::Heat::ResourceChain, properties: {resources: null}}
  ch3: {type: OS::Heat::ResourceChain, properties: {resources: [OS::Heat::None]}}
  ch4: {type: OS::Heat::ResourceChain, properties: {resources: [OS::Heat::None], resource_properties: null, concurrent: 'false'}}
  as1: {type: OS::Heat::AutoScalingGroup, properties: {min_size: 1, max_size: 3, desired_capacity: 2, resource: {type: inner.yaml, metadata: {a: b}, deletion_policy: Retain, update_policy: {}, properties: {s: null, l: [a]}}}}
  as2: {type: OS::Heat::AutoScalingGroup, properties: {min_size: '2', max_size: 3, resource: {type: OS::Heat::None, description: d}}}
  as3: {type: OS::Heat::AutoScalingGroup, properties: {min_size: 0, max_size: 3, desired_capacity: null, resource: {type: OS::Heat::None, condition: c}}}
  as4: {type: OS::Heat::AutoScalingGroup, properties: {min_size: 1, max_size: 3, resource: {type: OS::Heat::None, deletion_policy: Keep}}}
  as5: {type: OS::Heat::AutoScalingGroup, properties: {min_size: -1, max_size: 3, resource: {type: OS::Heat::None}}}
  as6: {type: OS::Heat::AutoScalingGroup, properties: {min_size: 1, max_size: 3, resource: {type: OS::Heat::None, properties: [1]}}}
  as7: {type: OS::Heat::AutoScalingGroup, properties: {min_size: 1, max_size: 3, resource: {type: OS::Heat::None, depends_on: x}}}
  as8: {type: OS::Heat::AutoScalingGroup, properties: {min_size: 1, max_size: 3, resource: {properties: {}}}}
  as9: {type: OS::Heat::AutoScalingGroup, properties: {min_size: 1, max_size: 3, resource: {type: OS::Heat::Value, properties: null, metadata: null}}}
  st1: {type: OS::Heat::Stack, properties: {template: {get_file: inner.yaml}, parameters: {s: 1, l: [a, b]}}}
  st2: {type: OS::Heat::Stack, properties: {template: "heat_template_version: pike\\noutputs: {o: {value: {resource_facade: metadata}}}\\n"}}
  st3: {type: OS::Heat::Stack, properties: {template: "nonsense"}}
  sd1: {type: OS::Heat::SoftwareDeploymentGroup, properties: {servers: {a: b}, config: c, input_values: {get_param: call}}}
  sd2: {type: OS::Heat::StructuredDeploymentGroup, properties: {servers: {a: null, 1: 2}, name: n}}
outputs:
  o1: {value: [{get_attr: [rg1, o]}, {get_attr: [rg1, o, 0]}, {get_attr: [rg1, refs]}, {get_attr: [rg1, refs, 0]}, {get_attr: [rg1, attributes, o]}, {get_attr: [rg1, resource.0]}, {get_attr: [rg1, resource.2.o, 1]}, {get_attr: [rg1, resource.9.o]}]}
  o2: {value: [{get_attr: [rg2]}, {get_attr: [ch1]}, {get_attr: [as1]}, {get_attr: [ch1, refs]}, {get_attr: [ch1, resource.1, o]}, {get_attr: [ch1, attributes, value]}, {get_attr: [ch1, value]}]}
  o3: {value: [{get_attr: [as1, outputs, o]}, {get_attr: [as1, outputs_list, f]}, {get_attr: [as1, resource.0.o]}, {get_attr: [as1, refs]}, {get_attr: [as1, current_size]}, {get_attr: [sd1, deploy_stdouts]}, {get_attr: [sd1, foo]}, {get_attr: [sd2]}]}
"""
