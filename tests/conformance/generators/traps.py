"""Templates written by hand, letter by letter, where the text is the trap.

The generator writes what data can say; here is what only text can: aliases that make one
text mean two things, merge keys that build a call, duplicate keys, block scalars as arguments.
"""

from generators import versions

# (name, first version, last version, text). VERSION is replaced.
_TRAPS = [
    ("one anchor, two places", "2013-05-23", "2013-05-23", """\
heat_template_version: VERSION
parameters:
  word: {type: string, default: a}
outputs:
  first: {value: &both {Ref: word}}
  second: {value: *both}
"""),
    ("an anchor that is data above and a call below", "2013-05-23", "2013-05-23", """\
heat_template_version: VERSION
parameters:
  word: {type: string, default: a}
  kept:
    type: json
    default: &call {Ref: word}
outputs:
  data: {value: {get_param: kept}}
  called: {value: *call}
"""),
    ("an anchored data map, default above and data below", "2013-05-23", "2017-02-24", """\
heat_template_version: VERSION
parameters:
  kept:
    type: json
    default: &same {contains: [a, [a]]}
outputs:
  one: {value: {get_param: kept}}
  two: {value: *same}
"""),
    ("a merge key builds the call", "2013-05-23", "2013-05-23", """\
heat_template_version: VERSION
parameters:
  word: {type: string, default: a}
  kept: {type: json, default: &base {Ref: word}}
outputs:
  merged:
    value:
      <<: *base
"""),
    ("a merge key inside the arguments", "2013-05-23", "2013-05-23", """\
heat_template_version: VERSION
parameters:
  base: {type: json, default: &base {$a: x, $b: y}}
outputs:
  replaced:
    value:
      Fn::Replace:
        - <<: *base
          $c: {get_param: [base, $b]}
        - $a and $b
  again:
    value: {'Fn::Replace': [{<<: *base, $a: z}, "$a and $b"]}
"""),
    ("a merge key builds a data map", "2013-05-23", "2016-10-14", """\
heat_template_version: VERSION
parameters:
  base: {type: json, default: &base {filter: [[a], [a, b]]}}
outputs:
  merged: {value: {<<: *base}}
  nested: {value: [{<<: *base, other: 1}]}
"""),
    ("a key twice leaves one call", "2013-05-23", "2013-05-23", """\
heat_template_version: VERSION
parameters:
  word: {type: string, default: a}
outputs:
  twice:
    value:
      Ref: nobody
      Ref: word
"""),
    ("a key twice leaves one data map", "2013-05-23", "2016-10-14", """\
heat_template_version: VERSION
outputs:
  twice:
    value:
      filter: [[x], [x]]
      filter: [[a], [a, b]]
"""),
    ("the version twice", "2013-05-23", "2018-08-31", """\
heat_template_version: 2021-04-16
heat_template_version: VERSION
outputs:
  o: {value: {filter: [[a], [a]]}}
"""),
    ("block scalars as arguments", "2013-05-23", "2013-05-23", """\
heat_template_version: VERSION
parameters:
  word: {type: string, default: a}
outputs:
  script:
    value:
      Fn::Replace:
        - $word: {Ref: word}   # the word
          $none:
        - |
          #!/bin/sh
          echo $word   # not a comment
            indented $none

          end
  folded:
    value:
      Fn::Base64: >-
        folded text
        goes on

        here
  kept:
    value:
      Fn::Join:
        - "\\n"
        - - |+
            keep

          - >2
             led
"""),
    ("plain scalars over several lines", "2013-05-23", "2013-05-23", """\
heat_template_version: VERSION
outputs:
  plain:
    value:
      Fn::Join: [' ', [some words
        that go on, and
          on]]
  quoted:
    value: {'Fn::Join': ["", ["one \\
      two", 'it''s
      three']]}
"""),
    ("comments wherever they may stand", "2013-05-23", "2013-05-23", """\
# head
heat_template_version: VERSION # the version

parameters: # p
  word: {type: string, default: a} # w
outputs:
  # before o
  o: # at o
    # before value
    value: # at value

      # before the call
      Fn::Select: # at the call
        # before the index
        - 0 # the index
        # between
        - # at the dash
          # before the items
          - Ref: word # first
          # before second
          - second # second
          # after all
      # after the call
    # after the value
# tail
"""),
    ("comments within flow", "2013-05-23", "2015-04-30", """\
heat_template_version: VERSION
parameters:
  items: {type: comma_delimited_list, default: "a,b"}
outputs:
  o:
    value: { # open
      Fn::Select : # key
        [ # list
          "1" # index
          , # comma
          { get_param : items } # items
          , # a comma at the end
        ] # close list
      } # close
"""),
    ("explicit keys", "2013-05-23", "2013-05-23", """\
heat_template_version: VERSION
parameters:
  word: {type: string, default: a}
outputs:
  o:
    ? value
    :
      ? Fn::Join
      : - '-'
        - - ? Ref
            : word
          - b
  p: {value: {? Ref : word}}
"""),
    ("tags and anchors before the call", "2013-05-23", "2013-05-23", """\
heat_template_version: VERSION
parameters:
  word: {type: string, default: a}
outputs:
  o:
    value: !!map &x
      Ref: !!str word
  p: {value: &y !!map {!!str Ref: &z "word"}}
  q: {value: *z}
"""),
    ("an alias is the argument", "2013-05-23", "2015-04-30", """\
heat_template_version: VERSION
parameters:
  items: &shared {type: comma_delimited_list, default: "a,b"}
  other: *shared
outputs:
  one: {value: {Fn::Select: &args [1, &list {get_param: items}]}}
  two: {value: {Fn::Select: *args}}
  three: {value: {Fn::Select: [0, *list]}}
  four: {value: {Fn::Select: [0, [*list, 1]]}}
"""),
    ("lists flush with their key", "2013-05-23", "2013-05-23", """\
heat_template_version: VERSION
parameters:
  word: {type: string, default: a}
outputs:
  o:
    value:
      Fn::Join:
      - ""
      -
        - Ref: word
        -   Ref:   word
        - b
"""),
    ("a block call within a list within a list", "2013-05-23", "2013-05-23", """\
heat_template_version: VERSION
parameters:
  word: {type: string, default: a}
outputs:
  o:
    value:
      - - Ref: word
        - Fn::Base64:
            Fn::Join:
              - ''
              -
                - x
                -  Fn::Select:
                    - k
                    - k:   # chosen
                        Ref: word
                      l: 2
      - - - Fn::Select: [0, [a]]
"""),
    ("no end of line at the end", "2013-05-23", "2013-05-23", """\
heat_template_version: VERSION
outputs:
  o:
    value:
      Fn::Base64: |-
        text"""),
    ("documents marks and directives", "2013-05-23", "2013-05-23", """\
%YAML 1.1
--- # start
heat_template_version: VERSION
outputs: {o: {value: {'Fn::Base64': x}}}
... # end
"""),
    ("tabs between", "2013-05-23", "2013-05-23", """\
heat_template_version:\tVERSION\t# tab
parameters:
  word:\t{type: string,\tdefault: a}
outputs:
  o:
    value:\t{Ref:\tword}\t# tab
"""),
    ("permutations with comments", "2015-04-30", "2017-02-24", """\
heat_template_version: VERSION
outputs:
  o:
    value:
      repeat:
        # what is repeated
        template: "%a%%b%"
        permutations: false   # has no effect yet
        # over these
        for_each:
          "%a%": [a, b]   # a
          "%b%": [c, d]   # b
  p:
    value: {repeat: {permutations: false, template: "%a%", for_each: {"%a%": [a]}}}
  q:
    value: {repeat: {template: "%a%", for_each: {"%a%": [a]}, permutations: no}}
"""),
    ("output conditions with comments", "2013-05-23", "2016-04-08", """\
heat_template_version: VERSION
outputs:
  o:
    condition: no such   # has no effect yet
    value: a
  p: {value: b, condition: false}
  q:
    value: c
    # only then
    condition:
      equals: [a, b]
    description: d
"""),
    ("range and modulo with comments", "2013-05-23", "2016-10-14", """\
heat_template_version: VERSION
parameters:
  n:
    type: number
    default: 5
    constraints:
      - range: {min: 1, max: 9}   # kept
        # dropped
        modulo:
          step: 2
          offset: 0
      - {modulo: {step: 2, offset: 0}, range: {max: 9}, description: odd}
outputs: {o: {value: {get_param: n}}}
"""),
    ("everything at once, as it was written in 2013", "2013-05-23", "2013-05-23", """\
heat_template_version: VERSION
description: >
  An old template: {Ref: nothing} and Fn::Join here are prose.
parameters:
  key:
    type: string
    default: k
    description: "Ref: key"
  zones: {type: comma_delimited_list, default: "z1,z2"}
resources:
  server:
    type: OS::Nova::Server
    properties:
      key_name: {Ref: key}
      image: { 'Fn::Select' : [ 1, { Ref: zones } ] }
      flavor: {"Fn::Join" : ["", ["m1.", "small"]]}
      user_data:
        Fn::Base64:
          Fn::Replace:
          - KEY: {Ref: key}
            "ZONE": { "Fn::Select": ["0", {"Ref": "zones"}] }
          - |
            #!/bin/sh
            # KEY in ZONE
            echo KEY
      metadata: {Ref: key, y: 1}
    metadata:
      addresses:
        Fn::Join:
          - ','
          - Fn::Split:
              - ';'
              - "a;b"
outputs:
  id:
    description: The id, from Ref
    value: {Ref: server}
"""),
    ("a pair without braces moves out of its list", "2013-05-23", "2014-10-16", """\
heat_template_version: VERSION
parameters:
  word: {type: string, default: a}
outputs:
  selected: {value: {Fn::Select: [0, [get_param: word, b]]}}
  spaced: {value: {Fn::Select: [0, [ get_param: word , b]]}}
"""),
    ("a pair without braces becomes a value", "2013-05-23", "2013-05-23", """\
heat_template_version: VERSION
parameters:
  word: {type: string, default: a}
outputs:
  replaced: {value: {Fn::Replace: [{a: b}, get_param: word]}}
  joined: {value: {Fn::Join: ['-', [get_param: word, Ref: word]]}}
"""),
    ("the version is a block scalar", "2013-05-23", "2021-04-16", """\
heat_template_version: |-
  VERSION
outputs:
  one: {value: 1}
"""),
    ("the version is a folded scalar with a comment", "2013-05-23", "2021-04-16", """\
outputs:
  one: {value: 1}
heat_template_version: >- # the version
   VERSION

# the end
"""),
    ("an ignored condition is a block scalar", "2013-05-23", "2016-04-08", """\
heat_template_version: VERSION
outputs:
  middle:
    description: one
    condition: |
      production
    value: 1
  end:
    value: 2
    condition: |
      production
  start:
    condition: >- # with a comment
      production

    value: 3
  last:
    value: 4
    condition: |
      production
"""),
    ("permutations, twice", "2015-04-30", "2017-02-24", """\
heat_template_version: VERSION
outputs:
  block:
    value:
      repeat:
        template: a-b
        for_each: {a: ['1', '2'], b: ['3', '4']}
        permutations: false
        permutations: true
  flow:
    value: {repeat: {permutations: false, template: a, for_each: {a: ['1']}, permutations: false}}
"""),
    ("comments behind tags", "2013-05-23", "2014-10-16", """\
heat_template_version: VERSION
parameters:
  words: {type: comma_delimited_list, default: 'a,b'}
outputs:
  block:
    value: !!map # what is selected
      Fn::Select: [0, {get_param: words}]
  anchored:
    value: !!map &anchor # what is selected
      Fn::Select: [0, [a, b]]
  scalar:
    value: {Fn::Select: [0, [!!str # the first
  a, b]]}
"""),
]


def texts(version):
    """(name, text) of the traps that a version can fall into."""
    for name, first, last, text in _TRAPS:
        if first <= version <= last:
            yield name, text.replace("VERSION", version).encode("utf-8")


assert all(first in versions.VERSIONS and last in versions.VERSIONS for _, first, last, _ in _TRAPS)
