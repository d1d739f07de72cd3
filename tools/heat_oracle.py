#!/usr/bin/env python3
"""Offline oracle around the OpenStack Heat engine.

Runs Heat's own loader, template classes, intrinsic functions, environment
merging, validation and update-diff code in process, with no database, no
message bus and no OpenStack services.

    heat_oracle.py parse     FILE [--client]
    heat_oracle.py validate  FILE [-e ENV]... [-P k=v]... [--full] [--strict]
    heat_oracle.py resolve   FILE [-e ENV]... [-P k=v]... [--attrs F.json] [--coerce]
    heat_oracle.py update    OLD NEW [-e ENV]... [--old-env ENV]... [-P k=v]...
    heat_oracle.py env       FILE [-e ENV]... [-P k=v]...
    heat_oracle.py functions [VERSION]
    heat_oracle.py batch     < requests.jsonl > answers.jsonl

Batch requests are JSON objects, one a line.  Common keys:

    id             anything, echoed back
    op             parse | validate | resolve | update | env | functions | ping
    file           path of the template, or
    template       the template as text (string) or as a JSON object
    env            list of environments: paths, or objects, or {"text": "..."}
    params         {name: value}, same role as -P
    files          {key: text}: extra entries for the stack's files map
    attrs          resource table (see ATTRS below)
    old_attrs      update: the table of the old side, as it was stored; without it, `attrs` is that of both sides
    client         bool, default true for "file", false for "template": push the
                   template through what the command line client does to it
                   (get_file/type rewriting, JSON round trip of the body)
    merge          "server" (default) | "client": who merges several -e files
    missing_files  "error" (default) | "stub": what to do with unreadable files
    azs            list returned by Fn::GetAZs (default ["nova"])
    stack_name, stack_id, project_id   for pseudo parameters
    coerce         resolve: also give properties pushed through the schema
    full, strict   validate: see below
    test_types     register Heat's own unit test resource types
    fill           resolve/update: invent a value for every parameter that has
                   neither value nor default (string <<param:NAME>>, number 1,
                   boolean true, list [<<param:NAME>>], json {})
    facade         {"metadata":..., "deletion_policy":..., "update_policy":...}
                   data for resource_facade

ATTRS: {"RES": {"ref": ..., "attrs": {...}, "action": "CREATE",
"status": "COMPLETE"}}.  Attributes (or resources) absent from the table turn
into placeholder strings <<attr:RES:name:path...>> and <<res:RES>>; a shortcut
{"RES": {"attr": value}} (no "attrs"/"ref"/"action" key) is understood too.
"action": "INIT" makes a resource not created yet (get_attr gives null and
get_resource gives the name unless "ref" is set).

Encoding of values JSON cannot hold:
  {"$map": [[k, v], ...]}   mapping with a key that is not a string
  {"$float": "nan"}         nan / inf / -inf
  {"$bytes": base64}, {"$set": [...]}, {"$tuple": [...]},
  {"$date": "..."}          a date/datetime object
  {"$elided": true}         the two-argument `if` that was false (Ellipsis)
  {"$unresolved": name, "args": ...}  a function left in a result
  {"$error": {...}}         evaluating this value raised
"""

import os
import sys
try:
    import heat  # noqa: F401
except ImportError:  # not run with the interpreter that tools/setup made: find it and start again
    _folder = os.environ.get('HOTPLATE_ORACLES') or os.path.join(
        os.path.dirname(os.path.abspath(__file__)), '..', 'target', 'oracles')
    _python = os.path.join(_folder, 'venv', 'bin', 'python')
    if os.path.exists(_python) and os.path.realpath(sys.prefix) != os.path.realpath(os.path.join(_folder, 'venv')):
        os.execv(_python, [_python] + sys.argv)
    raise SystemExit('heat is not installed: run tools/setup first')
import argparse
import base64
import collections.abc
import copy
import datetime
import io
import json
import logging
import math
import traceback
import warnings

warnings.simplefilter('ignore')
logging.disable(logging.CRITICAL)

_here = os.path.dirname(os.path.abspath(sys.executable))
VENV = os.path.dirname(_here)

_stderr = sys.stderr
sys.stderr = io.StringIO()      # third-party import chatter
try:
    from oslo_service import backend
    backend.init_backend(backend.BackendType.THREADING)
    from oslo_config import cfg
    from oslo_serialization import jsonutils
    import urllib.error
    import urllib.request
    import yaml  # noqa: F401

    from heat.common import config as heat_config  # noqa: F401
    from heat.common import context as heat_context
    from heat.common import environment_format as env_fmt
    from heat.common import environment_util as env_util
    from heat.common import exception
    from heat.common import identifier
    from heat.common import template_format
    from heat.common import urlfetch
    from heat.engine import attributes
    from heat.engine import conditions as cond_mod  # noqa: F401
    from heat.engine import constraints
    from heat.engine import environment
    from heat.engine import function
    from heat.engine import node_data
    from heat.engine import parameter_groups
    from heat.engine import resource
    from heat.engine import resources
    from heat.engine import rsrc_defn
    from heat.engine import stack as stack_mod
    from heat.engine import stk_defn
    from heat.engine import template as template_mod
    from heat.engine import update as update_mod
    from heat.engine.clients import client_plugin
    from heatclient.common import environment_format as client_env_fmt
    from heatclient.common import template_utils as client_tu
    from heatclient.common import utils as client_utils
finally:
    sys.stderr = _stderr

# --------------------------------------------------------------------------
# Cutting Heat off from services


class OfflineClient(AssertionError):
    """Raised when Heat code wants to talk to a service.

    An AssertionError because Heat lets those through its catch-alls.
    """


SKIPPED = []        # what could not be checked offline, per request


def _no_client(self, *a, **kw):
    raise OfflineClient('client of %s' % type(self).__name__)


def _offline_constraint(self, value, context):
    try:
        self.validate_with_client(context.clients, value)
    except OfflineClient:
        SKIPPED.append('constraint %s(%r)' % (type(self).__name__, value))
        return True
    except self.expected_exceptions as e:
        self._error_message = str(e)
        return False
    return True


AZS = ['nova']
_installed = False
_wrapped = set()


def _wrap_validate(cls):
    """Make the plugin hooks that may call services skip instead of fail."""
    for c in cls.__mro__:
        if not issubclass(c, resource.Resource):
            continue
        for hook in ('validate', 'add_dependencies',
                     'validate_external'):
            if (c, hook) in _wrapped or hook not in c.__dict__:
                continue
            _wrapped.add((c, hook))

            def make(orig, hook=hook):
                def wrapper(self, *a, **kw):
                    try:
                        return orig(self, *a, **kw)
                    except OfflineClient as e:
                        SKIPPED.append('%s() of %s: %s' % (hook, self.name,
                                                           e))
                        return None
                return wrapper
            setattr(c, hook, make(c.__dict__[hook]))


_orig_urlopen = urllib.request.urlopen


def _local_urlopen(url, *a, **kw):
    text = url if isinstance(url, str) else url.full_url
    if not text.startswith('file:'):
        raise urllib.error.URLError('offline: ' + text)
    return _orig_urlopen(url, *a, **kw)


def install():
    global _installed
    if _installed:
        return
    _installed = True
    etc = os.path.join(VENV, 'etc', 'heat')
    cfg.CONF.set_default('environment_dir', os.path.join(etc, 'environment.d'))
    cfg.CONF.set_default('template_dir', os.path.join(etc, 'templates'))
    cfg.CONF([], project='heat', default_config_files=[],
             default_config_dirs=[])
    client_plugin.ClientPlugin.client = _no_client
    client_plugin.ClientPlugin.url_for = _no_client
    for attr in ('keystone_session', 'auth_plugin', 'trusts_auth_plugin',
                 'keystone_v3_endpoint'):
        if attr in heat_context.RequestContext.__dict__:
            setattr(heat_context.RequestContext, attr, property(_no_client))
    constraints.BaseCustomConstraint.validate = _offline_constraint
    resource.Resource.is_service_available = classmethod(
        lambda cls, context: (True, None))
    stk_defn.StackDefinition.get_availability_zones = lambda self: list(AZS)

    from heat.rpc import client as rpc_client
    rpc_client.EngineClient.__init__ = lambda self: None
    for m in ('call', 'cast', 'local_error_name'):
        setattr(rpc_client.EngineClient, m, _no_client)

    def no_remote(url, allowed_schemes=('http', 'https')):
        if url.startswith('file:') and 'file' in allowed_schemes:
            with _orig_urlopen(url) as f:
                return f.read().decode('utf-8')
        raise IOError('offline: ' + url)
    urlfetch.get = no_remote
    urllib.request.urlopen = _local_urlopen

    resources.initialise()
    genv = resources.global_env()
    for name, info in list(genv.registry._registry.items()):
        if isinstance(info, environment.TemplateResourceInfo):
            # the packaged default environment points at /etc/heat/templates
            new = info.template_name.replace('/etc/heat/templates',
                                             os.path.join(etc, 'templates'))
            info.template_name = info.value = new
        elif isinstance(info, environment.ClassResourceInfo):
            _wrap_validate(info.value)
            # a subclass may shadow the patched classmethod
            if 'is_service_available' in info.value.__dict__:
                info.value.is_service_available = classmethod(
                    lambda cls, context: (True, None))
    from heat.engine.resources import template_resource
    _wrap_validate(template_resource.TemplateResource)


_test_types = False


def register_test_types():
    global _test_types
    if _test_types:
        return
    _test_types = True
    from heat.tests import generic_resource as g
    for name, cls in (
            ('GenericResourceType', 'GenericResource'),
            ('MultiStepResourceType', 'MultiStepResource'),
            ('ResWithShowAttrType', 'ResWithShowAttr'),
            ('SignalResourceType', 'SignalResource'),
            ('ResourceWithPropsType', 'ResourceWithProps'),
            ('ResourceWithPropsRefPropOnDelete',
             'ResourceWithPropsRefPropOnDelete'),
            ('ResourceWithPropsRefPropOnValidate',
             'ResourceWithPropsRefPropOnValidate'),
            ('StackUserResourceType', 'StackUserResource'),
            ('ResourceWithResourceIDType', 'ResourceWithResourceID'),
            ('ResourceWithAttributeType', 'ResourceWithAttributeType'),
            ('ResourceWithRequiredProps', 'ResourceWithRequiredProps'),
            ('ResourceWithMultipleRequiredProps',
             'ResourceWithMultipleRequiredProps'),
            ('ResourceWithPropsAndAttrs', 'ResourceWithPropsAndAttrs'),
            ('ResWithStringPropAndAttr', 'ResWithStringPropAndAttr'),
            ('ResWithComplexPropsAndAttrs', 'ResWithComplexPropsAndAttrs'),
            ('ResourceWithCustomConstraint', 'ResourceWithCustomConstraint'),
            ('ResourceWithComplexAttributesType',
             'ResourceWithComplexAttributes'),
            ('ResourceWithDefaultClientName', 'ResourceWithDefaultClientName'),
            ('OverwrittenFnGetAttType', 'ResourceWithFnGetAttType'),
            ('OverwrittenFnGetRefIdType', 'ResourceWithFnGetRefIdType'),
            ('ResourceWithListProp', 'ResourceWithListProp'),
            ('StackResourceType', 'StackResourceType')):
        c = getattr(g, cls, None)
        if c is not None:
            resource._register_class(name, c)
            _wrap_validate(c)


def fake_context(project_id='PROJECT_ID'):
    return heat_context.RequestContext.from_dict({
        'tenant_id': project_id, 'project_id': project_id,
        'tenant': 'project', 'username': 'user', 'user_id': 'USER_ID',
        'password': '', 'roles': [], 'is_admin': False,
        'auth_url': 'http://keystone.invalid:5000/v3',
        'auth_token': 'token', 'trust_id': None, 'region_name': None})


# --------------------------------------------------------------------------
# JSON encoding of arbitrary engine values


def enc(v, depth=0):
    if depth > 200:
        return {'$error': {'type': 'Depth', 'message': 'nesting too deep'}}
    d = depth + 1
    if v is None or isinstance(v, (bool,)):
        return v
    if v is Ellipsis:
        return {'$elided': True}
    if isinstance(v, function.Function):
        return {'$unresolved': v.fn_name, 'args': enc(v.args, d)}
    if isinstance(v, str):
        return str.__str__(v)
    if isinstance(v, int):
        return int(v)
    if isinstance(v, float):
        if math.isnan(v) or math.isinf(v):
            return {'$float': repr(v)}
        return v
    if isinstance(v, (bytes, bytearray)):
        return {'$bytes': base64.b64encode(bytes(v)).decode('ascii')}
    if isinstance(v, (datetime.date, datetime.datetime)):
        return {'$date': v.isoformat()}
    if isinstance(v, collections.abc.Mapping):
        items = list(v.items())
        if all(isinstance(k, str) for k, _ in items):
            return {str.__str__(k): enc(x, d) for k, x in items}
        return {'$map': [[enc(k, d), enc(x, d)] for k, x in items]}
    if isinstance(v, tuple):
        return {'$tuple': [enc(x, d) for x in v]}
    if isinstance(v, (set, frozenset)):
        return {'$set': sorted((enc(x, d) for x in v), key=repr)}
    if isinstance(v, collections.abc.Iterable):
        return [enc(x, d) for x in v]
    return {'$unknown': type(v).__name__, 'repr': repr(v)[:200]}


def err(exc, stage=None):
    e = {'type': type(exc).__name__, 'message': str(exc)}
    path = getattr(exc, 'path', None)
    if path:
        e['path'] = [str(p) for p in path]
    if stage:
        e['stage'] = stage
    return e


def json_trip(v):
    """What a value looks like after travelling in a request body."""
    return jsonutils.loads(jsonutils.dumps(v))


# --------------------------------------------------------------------------
# Fake resource data


class AttrPlaceholder(str):
    """Opaque attribute value: traversing it extends the placeholder."""

    def __new__(cls, res, path):
        self = str.__new__(cls, '<<attr:%s>>' % ':'.join(
            [res] + [str(p) for p in path]))
        self._res = res
        self._path = tuple(path)
        return self

    def __getitem__(self, key):
        if isinstance(key, slice):
            return str.__getitem__(self, key)
        return AttrPlaceholder(self._res, self._path + (key,))

    def __deepcopy__(self, memo):
        return self


class FakeNode(node_data.NodeData):
    """NodeData answering from a table, else with placeholders."""

    __slots__ = ('_table', '_schema_names')

    def __init__(self, name, entry, schema_names):
        entry = entry or {}
        if entry and not ({'attrs', 'ref', 'action', 'status'} & set(entry)):
            entry = {'attrs': entry}
        action = entry.get('action', 'CREATE')
        status = entry.get('status', 'COMPLETE')
        ref = entry.get('ref', name if action == 'INIT'
                        else '<<res:%s>>' % name)
        super().__init__(None, name, None, ref, {}, action, status)
        self._table = entry.get('attrs') or {}
        self._schema_names = schema_names

    def attribute(self, attr_name):
        if isinstance(attr_name, tuple):
            key, path = attr_name[0], attr_name[1:]
        else:
            key, path = attr_name, ()
        if key in self._table:
            return attributes.select_from_attribute(
                copy.deepcopy(self._table[key]), path)
        if self._schema_names is not None and key not in self._schema_names:
            raise KeyError(key)
        return AttrPlaceholder(self.name, (key,) + tuple(path))

    def attributes(self):
        names = set(self._table)
        if self._schema_names:
            names |= {n for n in self._schema_names if isinstance(n, str)}
        return {n: self.attribute(n) for n in sorted(names)
                if n != attributes.SHOW_ATTR}

    def attribute_names(self):
        return iter(sorted(set(self._table) | set(self._schema_names or ())))


# --------------------------------------------------------------------------
# Loading


class Request(object):
    def __init__(self, req):
        self.req = req
        self.errors = []
        self.tmpl_dict = None
        self.files = dict(req.get('files') or {})
        self.client = req.get('client')
        if self.client is None:
            self.client = req.get('template') is None
        self.stub = req.get('missing_files') == 'stub'

    # ---- template text -> dict
    def load_raw(self, which='file'):
        r = self.req
        inline = r.get('template' if which == 'file' else which + '_template')
        if inline is not None:
            if isinstance(inline, str):
                return template_format.parse(inline)
            return copy.deepcopy(inline)
        path = r[which]
        with open(path, 'rb') as f:
            text = f.read().decode('utf-8')
        return template_format.parse(text, path)

    def _patched_reader(self):
        stub = self.stub
        orig = client_utils.read_url_content

        def read(url):
            try:
                return orig(url)
            except Exception:
                if stub and not url.endswith(('.yaml', '.template')):
                    return '<<file:%s>>' % url
                raise
        return orig, read

    def load_client(self, which='file'):
        r = self.req
        orig, read = self._patched_reader()
        client_utils.read_url_content = read
        try:
            if r.get(which) is not None:
                files, tmpl = client_tu.get_template_contents(
                    template_file=r[which])
            else:
                inline = r.get('template' if which == 'file'
                               else which + '_template')
                if isinstance(inline, str):
                    tmpl = client_tu.template_format.parse(inline)
                else:
                    tmpl = copy.deepcopy(inline)
                files = {}
        finally:
            client_utils.read_url_content = orig
        # the body travels as JSON
        return json_trip(files), json_trip(tmpl)

    def load(self, which='file'):
        if self.client:
            files, tmpl = self.load_client(which)
            files.update(self.files)
            return tmpl, files
        return self.load_raw(which), dict(self.files)

    # ---- environments
    def load_env(self, tmpl_obj, files, env_key='env', par_key='params'):
        """Return the dict given to heat.engine.environment.Environment."""
        r = self.req
        envs = r.get(env_key) or []
        params = copy.deepcopy(r.get(par_key) or {})
        body = {}
        merged_client = {}
        names = []
        for n, e in enumerate(envs):
            if isinstance(e, str):
                orig, read = self._patched_reader()
                client_utils.read_url_content = read
                try:
                    f, env = client_tu.process_environment_and_files(
                        env_path=e, include_env_in_files=True)
                finally:
                    client_utils.read_url_content = orig
                url = client_utils.normalise_file_path_to_url(e)
                for k, v in f.items():
                    files[k] = json_trip(v)
                if url not in files:
                    files[url] = jsonutils.dumps(env)
            else:
                if set(e) == {'text'}:
                    env = client_env_fmt.parse(e['text'])
                else:
                    env = copy.deepcopy(e)
                url = 'inline-env-%d' % n
                files[url] = jsonutils.dumps(env)
            names.append(url)
            merged_client = client_tu.deep_update(merged_client,
                                                  copy.deepcopy(env))
        if r.get('merge', 'server') == 'client' or not names:
            body = env_fmt.validate(jsonutils.loads(
                jsonutils.dumps(merged_client)))
            env_fmt.default_for_missing(body)
            body[env_fmt.PARAMETERS].update(params)
            return body, files
        env_fmt.default_for_missing(body)
        body[env_fmt.PARAMETERS].update(params)
        env_util.merge_environments(names, files, body,
                                    tmpl_obj.all_param_schemata(files))
        return body, files

    def template(self, which='file', env_key='env', par_key='params'):
        tmpl_dict, files = self.load(which)
        t = template_mod.Template(copy.deepcopy(tmpl_dict), files=files)
        env_dict, files = self.load_env(t, files, env_key, par_key)
        t.files = files
        t.env = environment.Environment(env_dict)
        self.env_dict = env_dict
        if self.req.get('fill'):
            fill_params(t)
        return t


def fill_params(t):
    try:
        schemata = t.param_schemata(t.env.param_defaults)
    except Exception:
        return
    for name, sc in schemata.items():
        if t.env.params.get(name) is not None or sc.default is not None:
            continue
        mark = '<<param:%s>>' % name
        value = {sc.STRING: mark, sc.NUMBER: 1, sc.MAP: {},
                 sc.LIST: [mark], sc.BOOLEAN: True}[sc.type]
        for c in sc.constraints:
            kind = type(c)
            if kind is constraints.AllowedValues and c.allowed:
                value = (list(c.allowed[:1]) if sc.type == sc.LIST
                         else c.allowed[0])
            elif kind is constraints.Range:
                value = c.min if c.min is not None else c.max
            elif kind is constraints.Length and isinstance(value, str):
                if c.max is not None and len(value) > c.max:
                    value = ('p' + name)[:c.max]
                if c.min is not None and len(value) < c.min:
                    value += 'x' * (c.min - len(value))
        t.env.params[name] = value


class Facade(object):
    def __init__(self, data):
        self._data = data
        self.name = data.get('name', 'facade')

    def metadata_get(self):
        return self._data.get('metadata') or {}

    @property
    def t(self):
        return rsrc_defn.ResourceDefinition(
            self.name, data_type(self._data),
            metadata=self._data.get('metadata'),
            deletion_policy=self._data.get('deletion_policy'),
            update_policy=self._data.get('update_policy'))


def data_type(d):
    return d.get('type', 'OS::Heat::None')


def make_definition(rq, t):
    r = rq.req
    ctx = fake_context(r.get('project_id', 'PROJECT_ID'))
    name = r.get('stack_name', 'STACK_NAME')
    ident = identifier.HeatIdentifier(r.get('project_id', 'PROJECT_ID'), name,
                                      r.get('stack_id', 'STACK_ID'))
    facade = Facade(r['facade']) if r.get('facade') else None
    defn = stk_defn.StackDefinition(ctx, t, ident, {}, facade)
    return ctx, ident, defn


def attr_names(t, files, rtype, rname):
    try:
        cls = t.env.get_class(rtype, rname, files=dict(files))
        if cls is None:
            return None
        names = set(cls.attributes_schema) | {attributes.SHOW_ATTR}
        from heat.engine.resources import stack_resource
        dyn = (cls.get_attribute is not resource.Resource.get_attribute or
               issubclass(cls, stack_resource.StackResource))
        return None if dyn else names
    except Exception:
        return None


def _attr_name_list(t, files, rtype, rname):
    try:
        cls = t.env.get_class(rtype, rname, files=dict(files))
        return set(cls.attributes_schema)
    except Exception:
        return set()


def with_attrs(rq, table):
    """The request with another table of attributes."""
    other = copy.copy(rq)
    other.req = dict(rq.req, attrs=table)
    return other


def seed_resource_data(rq, t, defn):
    """Give every resource of the template fake runtime data."""
    table = rq.req.get('attrs') or {}
    raw = t.t.get(t.RESOURCES) or {}
    for name, snip in raw.items():
        rtype = snip.get(t.RES_TYPE) if isinstance(snip, dict) else None
        names = None
        if isinstance(rtype, str) and rq.req.get('strict_attrs'):
            names = attr_names(t, t.files, rtype, name)
        node = FakeNode(name, table.get(name), names)
        if names is None and isinstance(rtype, str):
            listed = _attr_name_list(t, t.files, rtype, name)

            def attribute_names(node=node, listed=listed):
                return iter(sorted(set(node._table) | listed))

            def attributes_(node=node, listed=listed):
                return {n: node.attribute(n)
                        for n in sorted(set(node._table) | listed)
                        if n != attributes.SHOW_ATTR}
            node = _Dyn(node, attributes_, attribute_names)
        defn._resource_data[name] = node


class _Dyn(object):
    """FakeNode wrapper whose listing of names comes from the schema."""

    def __init__(self, node, attrs, names):
        self._node = node
        self.attributes = attrs
        self.attribute_names = names

    def __getattr__(self, n):
        return getattr(self._node, n)


# --------------------------------------------------------------------------
# Operations


def op_parse(req):
    rq = Request(req)
    if rq.client and req.get('template') is None and req.get('client'):
        files, t = rq.load_client()
        return {'ok': True, 'template': enc(t), 'files': enc(files)}
    t = rq.load_raw()
    out = {'ok': True, 'template': enc(t)}
    try:
        cls = template_mod.Template(copy.deepcopy(t))
        out['class'] = type(cls).__name__
        out['version'] = list(cls.version)
    except Exception as e:
        out['class_error'] = err(e)
    return out


def guarded(fn, errors, stage):
    try:
        return fn(), True
    except OfflineClient as e:
        errors.append(dict(err(e, stage), offline=True))
    except Exception as e:
        errors.append(err(e, stage))
    return None, False


def op_resolve(req):
    rq = Request(req)
    errors = []
    out = {'ok': False, 'errors': errors}
    t, ok = guarded(rq.template, errors, 'load')
    if not ok:
        return out
    out['version'] = list(t.version)
    guarded(t.validate, errors, 'template')
    got, ok = guarded(lambda: make_definition(rq, t), errors, 'parameters')
    if not ok:
        return out
    ctx, ident, defn = got
    params = {}
    for name, p in defn.parameters.params.items():
        try:
            params[name] = enc(p.value())
        except Exception as e:
            params[name] = {'$error': err(e)}
    out['parameters'] = params
    guarded(lambda: defn.parameters.validate(context=ctx), errors,
            'parameter validation')
    guarded(lambda: parameter_groups.ParameterGroups(t).validate(), errors,
            'parameter groups')

    conds, ok = guarded(lambda: t.conditions(defn), errors, 'conditions')
    cvals = {}
    if ok:
        guarded(conds.validate, errors, 'conditions')
        for name in conds._conditions:
            try:
                cvals[name] = enc(conds.is_enabled(name))
            except Exception as e:
                cvals[name] = {'$error': err(e)}
                conds._resolved.pop(name, None)
    out['conditions'] = cvals

    rdefs, ok = guarded(lambda: t.resource_definitions(defn), errors,
                        'resources')
    raw = t.t.get(t.RESOURCES) or {}
    if ok:
        defn._resource_defns = rdefs
        seed_resource_data(rq, t, defn)
        res = {}
        for name, rd in rdefs.items():
            res[name] = resolve_resource(rq, t, defn, ctx, name, rd)
        out['resources'] = res
        out['disabled_resources'] = [n for n in raw if n not in rdefs]
    odefs, ok2 = guarded(lambda: t.outputs(defn), errors, 'outputs')
    if ok2:
        outs = {}
        rawo = t.t.get(t.OUTPUTS) or {}
        for name, od in odefs.items():
            outs[name] = {'value': val(od._value, errors=errors),
                          'description': od._description,
                          'enabled': output_enabled(t, defn, rawo, name)}
        out['outputs'] = outs
    else:
        out['outputs'] = None
    out['ok'] = not errors
    return out


def output_enabled(t, defn, rawo, name):
    key = getattr(t, 'OUTPUT_CONDITION', None)
    if key is None:
        return True
    try:
        c = rawo[name].get(key)
        return t.conditions(defn).is_enabled(
            function.resolve(t.parse_condition(defn, c, '')))
    except Exception as e:
        return {'$error': err(e)}


def val(snippet, errors=None, nullable=False):
    try:
        return enc(function.resolve(snippet, nullable=nullable))
    except OfflineClient as e:
        return {'$error': dict(err(e), offline=True)}
    except Exception as e:
        return {'$error': err(e)}


def resolve_resource(rq, t, defn, ctx, name, rd):
    o = {'type': rd.resource_type}
    if isinstance(rd._properties, function.Function):
        o['properties'] = val(rd._properties)
    elif rd._properties is None:
        o['properties'] = {}
    else:
        props = {}
        for k, v in rd._properties.items():
            x = val(v, nullable=True)
            if x == {'$elided': True}:
                continue
            props[k] = x
        o['properties'] = (props if all(isinstance(k, str) for k in props)
                           else {'$map': [[enc(k), v]
                                          for k, v in props.items()]})
    if rd._metadata is not None:
        o['metadata'] = val(rd._metadata)
    if rd._update_policy is not None:
        o['update_policy'] = val(rd._update_policy)
    o['deletion_policy'] = val(rd._deletion_policy) or 'Delete'
    o['depends_on'] = list(rd._depends) if rd._depends is not None else []
    if rd._external_id is not None:
        o['external_id'] = val(rd._external_id)
    if rd._condition is not None:
        o['condition'] = val(rd._condition)
    if rd.description:
        o['description'] = rd.description
    try:
        o['requires'] = sorted(rd.required_resource_names())
    except Exception as e:
        o['requires'] = {'$error': err(e)}
    fn_errors = []
    try:
        rd.validate()
    except Exception as e:
        fn_errors.append(err(e))
    if fn_errors:
        o['function_errors'] = fn_errors
    if rq.req.get('coerce'):
        o['coerced'] = coerce(t, rq, ctx, name, rd)
    return o


def coerce(t, rq, ctx, name, rd):
    try:
        cls = t.env.get_class(rd.resource_type, name, files=dict(t.files))
        if cls is None:
            info = t.env.get_resource_info(rd.resource_type, name)
            cls = info.get_class(files=dict(t.files))
        props = rd.properties(cls.properties_schema, ctx)
        out = {}
        for k in props:
            try:
                out[k] = enc(props[k])
            except Exception as e:
                out[k] = {'$error': err(e)}
        return out
    except Exception as e:
        return {'$error': err(e)}


def make_stack(rq, t, strict=True):
    r = rq.req
    ctx = fake_context(r.get('project_id', 'PROJECT_ID'))
    st = stack_mod.Stack(ctx, r.get('stack_name', 'STACKNAME'), t,
                         strict_validate=strict)
    return ctx, st


def op_validate(req):
    """Heat's validation.

    default : what `openstack orchestration template validate` runs
              (engine validate_template: non strict, template level only)
    strict  : property and parameter values checked too
    full    : what stack create runs (strict + every resource's validate(),
              nested stacks included), minus what needs a service
    """
    rq = Request(req)
    errors = []
    out = {'ok': False, 'errors': errors}
    del SKIPPED[:]
    t, ok = guarded(rq.template, errors, 'load')
    if not ok:
        return out
    out['version'] = list(t.version)
    _, ok = guarded(t.validate, errors, 'template')
    if not ok:
        return out
    full = bool(req.get('full'))
    strict = full or bool(req.get('strict'))
    got, ok = guarded(lambda: make_stack(rq, t, strict), errors, 'stack')
    if not ok:
        return out
    ctx, st = got
    try:
        st.validate(validate_res_tmpl_only=not full)
    except OfflineClient as e:
        errors.append(dict(err(e, 'validate'), offline=True))
    except Exception as e:
        errors.append(err(e, 'validate'))
    if not errors:
        try:
            order = [r.name for r in st.dependencies]
            out['dependency_order'] = order
            out['dependencies'] = {
                r.name: sorted(x.name for x in
                               st.dependencies.requires(r))
                for r in st.dependencies}
        except Exception as e:
            errors.append(err(e, 'dependencies'))
    out['skipped'] = list(SKIPPED)
    out['ok'] = not errors
    return out


def op_env(req):
    rq = Request(req)
    t = rq.template()
    return {'ok': True, 'environment': enc(rq.env_dict),
            'user_env': enc(t.env.user_env_as_dict()),
            'files': sorted(t.files)}


def op_update(req):
    """Classify every resource the way an update preview does."""
    rq = Request(req)
    errors = []
    out = {'ok': False, 'errors': errors}
    new, ok = guarded(lambda: rq.template('file'), errors, 'load new')
    if not ok:
        return out
    old, ok = guarded(lambda: rq.template(
        'old', 'old_env' if 'old_env' in req else 'env',
        'old_params' if 'old_params' in req else 'params'), errors, 'load old')
    if not ok:
        return out

    def build():
        ctx, a = make_stack(rq, old)
        ctx2, b = make_stack(rq, new)
        a.set_ids = None
        table = req.get('attrs') or {}
        before = with_attrs(rq, req['old_attrs']) if 'old_attrs' in req else rq
        seed_resource_data(before, old, a.defn)
        seed_resource_data(rq, new, b.defn)
        for n, r in a.resources.items():
            ent = table.get(n) or {}
            r.action = ent.get('action', 'CREATE')
            r.status = ent.get('status', 'COMPLETE')
            r.resource_id = ent.get('id', 'id-of-' + n)
            r._rsrc_metadata = {}
        b.resources
        return ctx, a, ctx2, b
    got, ok = guarded(build, errors, 'stacks')
    if not ok:
        return out
    _c1, a, _c2, b = got
    bad = a.parameters.immutable_params_modified(b.parameters, new.env.params)
    if bad:
        out['immutable_parameters_modified'] = sorted(bad)
    verdict = {}
    for name in sorted(set(a.resources) | set(b.resources)):
        if name not in b.resources:
            verdict[name] = {'action': 'deleted',
                             'deletion_policy':
                             a.resources[name].t.deletion_policy()}
            continue
        if name not in a.resources:
            verdict[name] = {'action': 'added'}
            continue
        verdict[name] = diff_one(a.resources[name], b.resources[name])
    out['resources'] = verdict
    out['ok'] = not errors
    return out


def diff_one(cur, upd):
    v = {}
    try:
        cd, ud = cur.frozen_definition(), upd.frozen_definition()
        if type(cur) is not type(upd):
            sub = cur.check_is_substituted(type(upd))
            v['action'] = 'updated' if sub else 'replaced'
            v['why'] = 'type substituted' if sub else 'type'
            if not sub:
                return v
        if cur.external_id != upd.external_id:
            return {'action': 'error', 'why': 'external_id changed'}
        if upd.external_id is not None:
            return {'action': 'unchanged', 'why': 'external resource'}
        cp = cd.properties(cur.properties_schema, cur.context)
        up = ud.properties(upd.properties_schema, upd.context)
        cp.update_translation(cur.translation_rules(cp) or [],
                              client_resolve=False)
        up.update_translation(upd.translation_rules(up) or [],
                              client_resolve=False)
        diff = ud - cd
        v['definition_diff'] = {
            'properties': bool(diff.properties_changed()),
            'metadata': bool(diff.metadata_changed()),
            'update_policy': bool(diff.update_policy_changed()),
            'deletion_policy': cd._deletion_policy != ud._deletion_policy,
            'depends_on': cd._depends != ud._depends,
            'description': cd.description != ud.description}
        changed = []
        for k in up:
            try:
                if cp.get(k) != up.get(k):
                    changed.append(k)
            except Exception:
                changed.append(k)
        v['changed_properties'] = sorted(changed)
        try:
            act = cur.preview_update(ud, cd, up, cp, None)
            v.setdefault('action', 'updated' if act else 'unchanged')
        except resource.UpdateReplace:
            v['action'] = 'replaced'
        except exception.NotSupported as e:
            v['action'] = 'forbidden'
            v['error'] = err(e)
        except OfflineClient as e:
            v['action'] = 'unknown'
            v['error'] = dict(err(e), offline=True)
    except Exception as e:
        v['action'] = 'error'
        v['error'] = err(e)
    return v


def op_functions(req):
    template_mod.Template({'heat_template_version': '2013-05-23'})
    out = {}
    want = req.get('version')
    for (key, ver), cls in sorted(template_mod._template_classes.items()):
        if want and ver != want:
            continue
        obj = cls({key: ver})
        conds = {n: _fname(f)
                 for n, f in obj._parser_condition_functions.items()}
        ps = getattr(cls, 'param_schema_class', None)
        entry = {
            'class': cls.__name__,
            'sections': list(cls.SECTIONS),
            'resource_keys': list(cls._RESOURCE_KEYS),
            'output_keys': list(cls.OUTPUT_KEYS),
            'deletion_policies': dict(cls.deletion_policies),
            'functions': {n: _fname(f) for n, f in cls.functions.items()},
            'condition_functions': conds,
            'param_schema_class': ps.__name__ if ps else 'Schema',
            'param_keys': list(ps.PARAMETER_KEYS) if ps else None,
        }
        out.setdefault(key, {})[ver] = entry
    return {'ok': True, 'versions': out}


def _fname(f):
    return '%s.%s' % (getattr(f, '__module__', '?').replace('heat.engine.',
                                                            ''),
                      getattr(f, '__name__', str(f)))


OPS = {'parse': op_parse, 'validate': op_validate, 'resolve': op_resolve,
       'update': op_update, 'env': op_env, 'functions': op_functions,
       'ping': lambda r: {'ok': True}}


def handle(req):
    global AZS
    install()
    if req.get('test_types'):
        register_test_types()
    AZS = req.get('azs') or ['nova']
    del SKIPPED[:]
    try:
        ans = OPS[req['op']](req)
    except BaseException as e:
        if isinstance(e, (KeyboardInterrupt, SystemExit)):
            raise
        ans = {'ok': False, 'errors': [err(e, req.get('op'))]}
        if req.get('debug'):
            ans['traceback'] = traceback.format_exc()
    if 'id' in req:
        ans['id'] = req['id']
    return ans


def main(argv):
    p = argparse.ArgumentParser(description='Offline Heat oracle')
    sub = p.add_subparsers(dest='op', required=True)

    def common(sp):
        sp.add_argument('-e', '--env', action='append', default=[])
        sp.add_argument('-P', '--param', action='append', default=[])
        sp.add_argument('--attrs')
        sp.add_argument('--raw', action='store_true',
                        help='skip the client (no file loading, no JSON trip)')
        sp.add_argument('--merge', choices=['server', 'client'],
                        default='server')
        sp.add_argument('--stub-files', action='store_true')
        sp.add_argument('--test-types', action='store_true')
        sp.add_argument('--stack-name')
        sp.add_argument('--fill', action='store_true')
        sp.add_argument('--debug', action='store_true')

    sp = sub.add_parser('parse')
    sp.add_argument('file')
    sp.add_argument('--client', action='store_true')
    sp = sub.add_parser('validate')
    sp.add_argument('file')
    sp.add_argument('--full', action='store_true')
    sp.add_argument('--strict', action='store_true')
    common(sp)
    sp = sub.add_parser('resolve')
    sp.add_argument('file')
    sp.add_argument('--coerce', action='store_true')
    sp.add_argument('--strict-attrs', action='store_true')
    common(sp)
    sp = sub.add_parser('update')
    sp.add_argument('old')
    sp.add_argument('file')
    sp.add_argument('--old-env', action='append')
    common(sp)
    sp = sub.add_parser('env')
    sp.add_argument('file')
    common(sp)
    sp = sub.add_parser('functions')
    sp.add_argument('version', nargs='?')
    sub.add_parser('batch')
    a = p.parse_args(argv)

    if a.op == 'batch':
        install()
        for line in sys.stdin:
            line = line.strip()
            if not line:
                continue
            try:
                req = json.loads(line)
            except ValueError as e:
                ans = {'ok': False, 'errors': [err(e, 'request')]}
            else:
                ans = handle(req)
            sys.stdout.write(json.dumps(ans, sort_keys=False) + '\n')
            sys.stdout.flush()
        return 0

    req = {'op': a.op}
    for k in ('file', 'old', 'full', 'strict', 'coerce', 'client', 'merge',
              'test_types', 'stack_name', 'debug', 'version', 'old_env',
              'strict_attrs', 'fill'):
        v = getattr(a, k, None)
        if v not in (None, False):
            req[k] = v
    if getattr(a, 'env', None):
        req['env'] = a.env
    if getattr(a, 'param', None):
        req['params'] = client_utils.format_parameters(a.param)
    if getattr(a, 'attrs', None):
        with open(a.attrs) as f:
            req['attrs'] = json.load(f)
    if getattr(a, 'raw', False):
        req['client'] = False
    if getattr(a, 'stub_files', False):
        req['missing_files'] = 'stub'
    ans = handle(req)
    json.dump(ans, sys.stdout, indent=2, sort_keys=False)
    sys.stdout.write('\n')
    return 0 if ans.get('ok') else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
