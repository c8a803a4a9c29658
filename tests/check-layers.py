#!/usr/bin/env python3
"""The order of the engine's layers, and that what is private stays in its folder: check-layers.py SOURCE-ROOT

1. A file includes headers of its own layer and of those below it (BELOW).
2. A header names no function that a higher layer defines.
3. A header NAME-private.h is included in its own folder only, in ui/ and app/ as well.
4. Only what runs passes includes the driver's header (DRIVES) and names its function: a term rewrites by call->nested, so that no rewrite is left unrecorded.
5. A folder of ui/ includes headers of its own and of those before it (VIEWER); kit/ knows nothing of the engine.
6. No line of C is longer than 140 characters.

Each finding is a line FILE: what is wrong. KNOWN are those that there are today; one that is gone is a finding, too. The checks are tried on faulty files first, so that
a broken check is not a passed one.
"""
import os
import re
import sys
import tempfile

CHAIN = ['ir', 'rewrite', 'rules', 'tensor', 'schedule', 'codegen', 'render', 'run']
BELOW = {layer: set(CHAIN[:i]) for i, layer in enumerate(CHAIN)}
BELOW['answer'] = {'ir'}
BELOW['trace'] = {'ir', 'rewrite', 'rules', 'tensor', 'schedule', 'answer'}
BELOW['pipeline'] = set(CHAIN) | {'answer', 'trace'}      # also the files of engine/ itself
BELOW['ask'] = BELOW['pipeline'] | {'pipeline'}
BELOW['measure'] = BELOW['ask'] | {'ask'}
BELOW['program'] = BELOW['measure'] | {'measure'}
DRIVES = {'rewrite/rewrite.c', 'rewrite/driver.h'}      # and the layers from pipeline up, which have no terms of the built-in rules
VIEWER = ['kit', 'session', 'graph', 'share', 'panes', 'workspaces', 'window']
FREE = {'settings.h', 'pipeline.def', 'terms.def'}      # of engine/ itself, below all layers

KNOWN = """
"""


def files(root, folder, endings):
    for at, folders, names in os.walk(os.path.join(root, folder)):
        folders.sort()
        for name in sorted(names):
            if name.endswith(endings):
                yield os.path.relpath(os.path.join(at, name), root)


def read(root, path):
    with open(os.path.join(root, path), encoding='utf-8') as f:
        return f.read()


def layer_of(path):
    """The layer of a path below engine/: "ir/uop.h" is of ir, "session.h" of pipeline; a folder in a layer's folder is of that layer."""
    return path.split('/')[0] if '/' in path else 'pipeline'


def resolve(root, path, header):
    """The included file as a path from the root, or None: first next to the file, then in the folders that are searched."""
    for folder in (os.path.dirname(path), path.split('/')[0], 'engine'):
        found = os.path.normpath(os.path.join(folder, header))
        if os.path.exists(os.path.join(root, found)):
            return found
    return None


def includes(root, path):
    for header in re.findall(r'^\s*#\s*include\s+"([^"]+)"', read(root, path), flags=re.M):
        found = resolve(root, path, header)
        if found:
            yield found


def check(root):
    findings = []
    defined = {}
    for path in files(root, 'engine', ('.c',)):
        for name in re.findall(r'^(ls_\w+) \(', read(root, path), flags=re.M):
            defined.setdefault(name, layer_of(path[len('engine/'):]))
    for path in files(root, 'engine', ('.c', '.h', '.def')):
        layer = layer_of(path[len('engine/'):])
        if layer not in BELOW:
            findings.append(f'{path}: {layer} is not a layer')
            continue
        allowed = BELOW[layer] | {layer}
        for header in includes(root, path):
            inner = header[len('engine/'):] if header.startswith('engine/') else None
            if inner is None or (inner not in FREE and layer_of(inner) not in allowed):
                findings.append(f'{path}: includes {inner or header}')
        own = path[len('engine/'):]
        if layer in set(CHAIN) | {'trace'} and own not in DRIVES and re.search(r'\bls_graph_rewrite\b|rewrite/driver\.h|"driver\.h"', read(root, path)):
            findings.append(f'{path}: reaches the driver')
        if path.endswith('.h'):
            text = re.sub(r'/\*.*?\*/|//[^\n]*', ' ', read(root, path), flags=re.S)
            for name in sorted(set(re.findall(r'\b(ls_\w+) *\(', text))):
                if name in defined and defined[name] not in allowed:
                    findings.append(f'{path}: declares {name}')
    for path in files(root, 'ui', ('.c', '.h')):
        own = path.split('/')[1]
        for header in includes(root, path):
            other = header.split('/')[1]
            if own in VIEWER and (header.startswith('engine/') and own == 'kit' or header.startswith('ui/') and other in VIEWER and VIEWER.index(other) > VIEWER.index(own)):
                findings.append(f'{path}: includes {header}')
    for folder in ('engine', 'ui', 'app'):
        for path in files(root, folder, ('.c', '.h')):
            for header in includes(root, path):
                if header.endswith('-private.h') and os.path.dirname(header) != os.path.dirname(path):
                    findings.append(f'{path}: includes the private {header.split("/", 1)[1]}')
    for folder in ('engine', 'ui', 'app', 'tests'):
        for path in files(root, folder, ('.c', '.h', '.def')):
            findings += [f'{path}: line {n} is longer than 140 characters' for n, line in enumerate(read(root, path).split('\n'), 1) if len(line) > 140]
    return findings


def try_on_faulty_files():
    with tempfile.TemporaryDirectory() as root:
        for path, text in {
            'engine/ir/uop.h': 'int ls_uop_new (void);\nint ls_lower_all (void);      /* ls_trace_new () */\n', 'engine/ir/uop.c': '#include "uop.h"\n#include "settings.h"\nint\nls_uop_new (void)\n',
            'engine/ir/pool-private.h': '', 'engine/rules/sums.c': 'extern int ls_graph_rewrite ();\n', 'engine/rewrite/driver.h': '', 'engine/codegen/loops.c': '#include "rewrite/driver.h"\n', 'engine/codegen/lower.c': '#include "ir/uop.h"\n#include "ir/pool-private.h"\nint\nls_lower_all (void)\n',
            'engine/codegen/lower.h': '', 'engine/rewrite/rewrite.c': '#include "trace/trace.h"\n#include "session.h"\n', 'engine/trace/trace.h': '', 'engine/session.h': '',
            'engine/settings.h': '', 'engine/trace/trace.c': '#include "trace.h"\n#include "codegen/lower.h"\n', 'engine/ask/ask.c': '#include "session.h"\n', 'engine/odd/odd.c': '', 'tests/long.c': 70 * 'ab' + '\n' + 141 * 'c',
            'ui/pane.c': '#include "graph/view-private.h"\n', 'ui/graph/view-private.h': '', 'ui/graph/view.c': '#include "view-private.h"\n', 'app/cli.c': '#include "trace/trace.h"\n',
            'ui/kit/list.c': '#include "trace/trace.h"\n#include "session/session.h"\n', 'ui/session/session.h': '', 'ui/panes/rows.c': '#include "kit/list.h"\n#include "session/session.h"\n', 'ui/kit/list.h': '',
        }.items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), 'w', encoding='utf-8') as f:
                f.write(text)
        expected = {'engine/ir/uop.h: declares ls_lower_all', 'engine/codegen/lower.c: includes the private ir/pool-private.h', 'engine/rewrite/rewrite.c: includes trace/trace.h',
                    'engine/rewrite/rewrite.c: includes session.h', 'engine/trace/trace.c: includes codegen/lower.h', 'engine/odd/odd.c: odd is not a layer', 'tests/long.c: line 2 is longer than 140 characters',
                    'engine/rules/sums.c: reaches the driver', 'engine/codegen/loops.c: reaches the driver',
                    'ui/pane.c: includes the private graph/view-private.h', 'ui/kit/list.c: includes engine/trace/trace.h', 'ui/kit/list.c: includes ui/session/session.h'}
        got = set(check(root))
        return [f'the checks do not find: {x}' for x in sorted(expected - got)] + [f'the checks find in good files: {x}' for x in sorted(got - expected)]


def main():
    known = {line for line in KNOWN.splitlines() if line}
    findings = try_on_faulty_files()
    found = check(sys.argv[1])
    findings += [x for x in found if x not in known] + [f'{x}: this is no more, and goes from the list of what is known' for x in sorted(known - set(found))]
    print('\n'.join(findings) if findings else f'{len(found)} known, and no other')
    return 1 if findings else 0


sys.exit(main())
