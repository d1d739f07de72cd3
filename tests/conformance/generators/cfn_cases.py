"""Calls and definitions of Heat's CFN formats: what part `cfn_functions` asks both sides about."""

PARAMETERS = {
    "n": {"Type": "Number", "Default": 3}, "s": {"Type": "String", "Default": "a,b"},
    "l": {"Type": "CommaDelimitedList", "Default": "x,y,z"},
    "j": {"Type": "Json", "Default": {"k": ["v", 1], "t": "[1,2]", "nul": None}},
    "b": {"Type": "Boolean", "Default": "yes"}, "h": {"Type": "String", "Default": "q", "NoEcho": "TRUE"},
}
MAPPINGS = {
    "M": {"a": {"x": "v", "l": [1, 2], "n": 5, "3": "three"}, "3": {"y": "w"}},
    "Empty": {}, "T": "text", "L": ["a"],
}

# As a property, as metadata and as an output.
VALUES = [
    {"Ref": "n"},
    {"Ref": "s"},
    {"Ref": "srv"},
    {"Ref": "nope"},
    {"Ref": "AWS::StackName"},
    {"Ref": "AWS::StackId"},
    {"Ref": "AWS::Region"},
    {"Ref": "AWS::NoValue"},
    {"Ref": "AWS::AccountId"},
    {"Ref": ""},
    {"Ref": ["n"]},
    {"Ref": {"Ref": "s"}},
    {"Ref": 1},
    {"Ref": None},
    {"Fn::GetAtt": ["srv", "name"]},
    {"Fn::GetAtt": ["srv", "foo"]},
    {"Fn::GetAtt": ["nope", "name"]},
    {"Fn::GetAtt": "srv.name"},
    {"Fn::GetAtt": ["srv"]},
    {"Fn::GetAtt": ["srv", "name", "x"]},
    {"Fn::GetAtt": ["srv", {"Ref": "s"}]},
    {"Fn::GetAtt": [{"Ref": "s"}, "name"]},
    {"Fn::GetAtt": ["srv", None]},
    {"Fn::FindInMap": ["M", "a", "x"]},
    {"Fn::FindInMap": ["M", "a", "zz"]},
    {"Fn::FindInMap": ["M", "zz", "x"]},
    {"Fn::FindInMap": ["Z", "a", "x"]},
    {"Fn::FindInMap": ["M", "a"]},
    {"Fn::FindInMap": "Max"},
    {"Fn::FindInMap": ["M", {"Ref": "n"}, "y"]},
    {"Fn::FindInMap": ["M", {"Ref": "s"}, "y"]},
    {"Fn::FindInMap": ["M", "a", "l"]},
    {"Fn::FindInMap": ["M", "a", "n"]},
    {"Fn::FindInMap": ["T", "a", "n"]},
    {"Fn::FindInMap": ["L", "a", "n"]},
    {"Fn::FindInMap": ["L", 0, 0]},
    {"Fn::FindInMap": ["M", ["a"], "x"]},
    {"Fn::FindInMap": [{"Ref": "srv"}, "a", "x"]},
    {"Fn::FindInMap": ["M", {"Fn::Select": ["0", ["a", "b"]]}, "x"]},
    {"Fn::FindInMap": ["Empty", "a", "x"]},
    {"Fn::FindInMap": ["M", "a", "x", 1]},
    {"Fn::FindInMap": None},
    {"Fn::FindInMap": [None, "a", "x"]},
    {"Fn::FindInMap": {"a": 1, "b": 2, "c": 3}},
    {"Fn::FindInMap": {"Ref": "l"}},
    {"Fn::Join": ["-", ["a", {"Ref": "s"}]]},
    {"Fn::Join": ["-", ["a", {"Ref": "n"}]]},
    {"Fn::Join": ["-", {"Ref": "l"}]},
    {"Fn::Join": ["-", ["a"], ["b"]]},
    {"Fn::Join": ["", [{"Ref": "AWS::StackName"}, "-x"]]},
    {"Fn::Join": ["-", ["a", None]]},
    {"Fn::Join": ["-"]},
    {"Fn::Select": ["1", {"Ref": "l"}]},
    {"Fn::Select": [9, {"Ref": "l"}]},
    {"Fn::Select": ["k", {"Ref": "j"}]},
    {"Fn::Select": ["0", {"Fn::Select": ["k", {"Ref": "j"}]}]},
    {"Fn::Select": ["0", {"Fn::Select": ["t", {"Ref": "j"}]}]},
    {"Fn::Select": ["2", {"Fn::Split": ["/", {"Ref": "AWS::StackId"}]}]},
    {"Fn::Select": ["0", {"Fn::GetAZs": ""}]},
    {"Fn::Select": ["0"]},
    {"Fn::Select": ["0", "[5]"]},
    {"Fn::Select": ["0", "x"]},
    {"Fn::Select": [{"Ref": "n"}, {"Ref": "l"}]},
    {"Fn::Select": ["a", [1]]},
    {"Fn::Split": [",", {"Ref": "s"}]},
    {"Fn::Split": [",", "a,b"]},
    {"Fn::Split": [{"Ref": "s"}, "a"]},
    {"Fn::Split": [",", None]},
    {"Fn::Split": [",", {"Ref": "n"}]},
    {"Fn::Replace": [{"$a": {"Ref": "n"}, "b": "X"}, "$a b"]},
    {"Fn::Replace": [{"$a": {"Ref": "j"}}, "$a b"]},
    {"Fn::Replace": ["a", "b"]},
    {"Fn::Replace": [{"$a": None}, "$a b"]},
    {"Fn::Base64": "x"},
    {"Fn::Base64": {"Ref": "n"}},
    {"Fn::Base64": {"Fn::Join": ["", ["a"]]}},
    {"Fn::Base64": 1},
    {"Fn::GetAZs": ""},
    {"Fn::GetAZs": {"Ref": "AWS::Region"}},
    {"Fn::GetAZs": {"Ref": "nope"}},
    {"Fn::MemberListToMap": ["Name", "Value", [".member.0.Name=k", ".member.0.Value=v"]]},
    {"Fn::MemberListToMap": ["Name", "Value", {"Ref": "l"}]},
    {"Fn::ResourceFacade": "Metadata"},
    {"Fn::ResourceFacade": "metadata"},
    {"Fn::If": ["T", "a", "b"]},
    {"Fn::If": ["F", "a", {"Ref": "n"}]},
    {"Fn::If": ["Nope", "a", "b"]},
    {"Fn::If": [{"Fn::Not": ["T"]}, "a", "b"]},
    {"Fn::If": ["T", "a"]},
    {"Fn::If": ["F", {"Fn::Join": ["x"]}, "b"]},
    {"Fn::If": [{"Fn::Equals": [{"Ref": "n"}, 3]}, "a", "b"]},
    {"Fn::If": [True, "a", "b"]},
    {"Fn::If": ["a", "b", "c"]},
    {"Fn::Equals": ["a", "a"]},
    {"Fn::Not": ["T"]},
    {"get_param": "n"},
    {"get_attr": ["srv", "name"]},
    {"Fn::Join": ["-", ["a"]], "x": 1},
    {"list_join": ["", ["a"]]},
    [{"Ref": "n"}, {"Ref": "s"}],
    {"Fn::Select": ["b", {"a": 1, "b": {"Ref": "n"}}]},
]

# As a named condition; `Self` is its own name.
CONDITIONS = [
    {"Fn::Equals": [{"Ref": "n"}, 3]},
    {"Fn::Equals": [{"Ref": "AWS::Region"}, "ap-southeast-1"]},
    {"Fn::Equals": [{"Ref": "AWS::StackName"}, "STK"]},
    {"Fn::Equals": [{"Ref": "AWS::StackId"}, "STK"]},
    {"Fn::Not": ["T"]},
    {"Fn::Not": "T"},
    {"Fn::Not": ["T", "F"]},
    {"Fn::Not": [{"Fn::Not": ["T"]}]},
    {"Fn::Not": []},
    {"Fn::Not": [None]},
    {"Fn::And": ["T", "F"]},
    {"Fn::And": ["T"]},
    {"Fn::Or": ["F", "F", {"Fn::Equals": ["a", "a"]}]},
    {"Fn::Or": ["X", "T"]},
    {"Fn::FindInMap": ["M", "a", "x"]},
    {"Fn::Equals": [{"Fn::FindInMap": ["M", "a", "x"]}, "v"]},
    {"Ref": "b"},
    {"Ref": "srv"},
    {"Ref": "nope"},
    {"Ref": {"Ref": "s"}},
    {"Fn::Join": ["", ["a"]]},
    {"Fn::If": ["T", "T", "F"]},
    True,
    "T",
    None,
    {"Fn::Equals": ["a"]},
    {"Fn::Equals": [{"Fn::Join": ["", ["a"]]}, "a"]},
    {"Fn::Equals": [{"Fn::GetAtt": ["srv", "name"]}, "a"]},
    "Self",
    {"Fn::Not": ["Self"]},
]

# As the body of a resource.
BODIES = [
    None,
    5,
    {},
    {"Type": None},
    {"Type": ""},
    {"Type": {"Ref": "s"}},
    {"Type": "OS::Heat::None", "Foo": {"Ref": "nope"}},
    {"Type": "OS::Heat::None", "Properties": None},
    {"Type": "OS::Heat::None", "Properties": {"Ref": "j"}},
    {"Type": "OS::Heat::None", "DependsOn": "srv"},
    {"Type": "OS::Heat::None", "DependsOn": ["srv", 1]},
    {"Type": "OS::Heat::None", "DependsOn": None},
    {"Type": "OS::Heat::None", "DependsOn": {"Ref": "srv"}},
    {"Type": "OS::Heat::None", "DeletionPolicy": "Retain"},
    {"Type": "OS::Heat::None", "DeletionPolicy": "retain"},
    {"Type": "OS::Heat::None", "DeletionPolicy": {"Ref": "s"}},
    {"Type": "OS::Heat::None", "DeletionPolicy": None},
    {"Type": "OS::Heat::None", "Condition": "T"},
    {"Type": "OS::Heat::None", "Condition": "F"},
    {"Type": "OS::Heat::None", "Condition": {"Fn::Equals": [1, 2]}},
    {"Type": "OS::Heat::None", "Condition": None},
    {"Type": "OS::Heat::None", "Condition": 5},
    {"Type": "OS::Heat::None", "Description": 5},
    {"Type": "OS::Heat::None", "Description": "x"},
    {"type": "OS::Heat::None"},
    {"Type": "OS::Heat::None", "UpdatePolicy": {"a": {"Ref": "n"}}},
    {"Type": "OS::Heat::None", "Metadata": []},
    {"Type": "OS::Heat::None", "external_id": "x"},
    {"Type": "OS::Heat::None", "Condition": "Nope"},
]

# In the place of whole sections.
SECTIONS = [
    {"Conditions": None}, {"Conditions": {"T": {"Fn::Equals": [1, 1]}}}, {"Metadata": {}}, {"Resources": None}, {"Resources": []},
    {"Resources": [1]}, {"Mappings": None}, {"Mappings": []}, {"Mappings": ["a"]}, {"Outputs": None}, {"Outputs": {"o": {"value": 1}}},
    {"Outputs": {"o": {"Value": 1, "Condition": "T", "Foo": 1}}}, {"Outputs": {"o": 5}}, {"Outputs": {"o": {"Value": None}}},
]


def _template(aws, value, **sections):
    template = {"AWSTemplateFormatVersion": "2010-09-09"} if aws else {"HeatTemplateFormatVersion": "2012-12-12"}
    template |= {"Parameters": PARAMETERS, "Mappings": MAPPINGS}
    if aws:
        template["Conditions"] = {"T": {"Fn::Equals": ["a", "a"]}, "F": {"Fn::Equals": ["a", "b"]}}
    template["Resources"] = {
        "srv": {"Type": "OS::Nova::Server", "Properties": {"image": "i", "flavor": "f"}},
        "r": {"Type": "OS::Heat::RandomString", "Properties": {"salt": value}, "Metadata": {"m": value}},
    }
    template["Outputs"] = {"o": {"Value": value, "Description": "d"}}
    return template | sections


def templates():
    """Every template."""
    for aws in (False, True):
        yield from (_template(aws, value) for value in VALUES)
        yield from (_template(aws, "x", **sections) for sections in SECTIONS)
        for body in BODIES:
            template = _template(aws, "x")
            template["Resources"]["z"] = body
            yield template
    for condition in CONDITIONS:
        template = _template(True, {"Fn::If": ["Self", "y", "n"]})
        template["Conditions"]["Self"] = condition
        template["Resources"]["c"] = {"Type": "OS::Heat::None", "Condition": "Self"}
        yield template
