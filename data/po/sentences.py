#!/usr/bin/env python3
"""Gathers the engine's sentences into data/po/sentences.h: sentences.py SOURCE-ROOT [--check]

xgettext reads C that is marked; sentences of rules, rows of tables, reasons and errors are neither. This writes each of them as a line
N_ ("…") that xgettext reads and that the programs include as their list of templates (ui/share/words.c). --check: says what is missing
or too much, and writes nothing.
"""
import os
import re
import sys

# Tables whose rows end with, or contain, a sentence.
TABLES = ['engine/ir/ops.def', 'engine/pipeline.def', 'engine/settings.h', 'engine/render/dialect.def', 'engine/render/targets.def',
          'engine/run/compilers.def', 'engine/codegen/procedure-passes.h', 'app/options.def', 'app/commands.h']
TABLE_FOLDERS = ['engine/codegen/options']
# Functions that take a template; the template is their first literal.
CALLS = (r'\b(?:g_set_error|g_set_error_literal|ls_sentence|ls_sentence_append|ls_choose|ls_tensors_fail|ls_rule_fail_at|ls_scan_fail|'
         r'ls_reader_fail|LS_TEMPLATE|fail|fail_at|wrong|refuse)\s*\(')
# Constants that say why: of refusals, of rows of the source, of the order of rows.
REASONS = r'(?:\breturn|\bwhy =|->why =|\breason =|\?|:)\s*$'
REASON_FILES = ['engine/codegen/options.c', 'engine/render/c-style.c', 'engine/codegen/linearize.c', 'engine/codegen/linearize-blocks.c']
TERMS = re.compile(r'const LsTerm ls_\w+_terms\[\] = \{(.*?)\n\};', re.S)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
MACROS = {'G_GINT64_FORMAT': 'li', 'G_GUINT64_FORMAT': 'lu', 'G_GSIZE_FORMAT': 'lu', 'G_GINT64_MODIFIER': 'l'}
GROUP = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*(?:"(?:[^"\\\n]|\\.)*"|' + '|'.join(MACROS) + '))*')
WORDS = re.compile(r'[A-Za-z]{2,}[,:;.]? (?:[%$\w(]+ )?[A-Za-z(]{2,}|^[A-Z][a-z]+\.$')


def without_comments(text):
    return re.sub(r'/\*.*?\*/', lambda m: re.sub(r'[^\n]', ' ', m.group(0)), text, flags=re.S)


def joined(group):
    """The literal that a compiler makes of neighbours, as it is written in C."""
    for macro, letters in MACROS.items():
        group = group.replace(macro, f'"{letters}"')
    return ''.join(LITERAL.findall(group))


def literals(text):
    return [(m.start(), joined(m.group(0))) for m in GROUP.finditer(text)]


def of_table(text):
    return [s for _, s in literals(without_comments(text)) if WORDS.search(s)]


def of_terms(text):
    return [s for table in TERMS.findall(without_comments(text)) for _, s in literals(table) if WORDS.search(s)]


def of_calls(text, reasons):
    text, found = without_comments(text), []
    for m in re.finditer(CALLS, text):
        rest = text[m.end():m.end() + 2000]
        literal, depth = None, 1
        for token in re.finditer(r'"(?:[^"\\\n]|\\.)*"|[()]|;', rest):
            if token.group(0)[0] == '"':
                literal = GROUP.match(rest, token.start())
                break
            depth += {'(': 1, ')': -1}.get(token.group(0), 0)
            if depth == 0 or token.group(0) == ';':
                break
        while literal:      # a choice has two
            s = joined(literal.group(0))
            if WORDS.search(s) or (m.group(0).startswith('ls_sentence') and re.search(r'[a-z]{3}', s)):
                found.append(s)
            other = re.match(r'\s*:\s*(?=")', rest[literal.end():])
            literal = GROUP.match(rest, literal.end() + other.end()) if other else None
    if reasons:
        found += [s for at, s in literals(text) if re.search(REASONS, text[max(0, at - 200):at]) and re.search(r'[a-z] [a-z]', s)]
    return found


def of_rules(text):
    """The comment lines above each rule, as rule-file.c joins them."""
    found, comment = [], []
    for line in text.split('\n'):
        if line.startswith('#'):
            comment.append(line[1:].strip())
        elif line.strip() and not line[0].isspace() and re.match(r'[\w-]+:', line):
            if comment:
                found.append(' '.join(part for part in comment if part).replace('\\', '\\\\').replace('"', '\\"'))
            comment = []
        elif not line.strip() or not line[0].isspace():
            comment = []
    return found


def gather(root):
    """{file: its sentences}, each sentence once."""
    seen, out = set(), {}

    def take(path, sentences):
        new = [s for s in dict.fromkeys(sentences) if s not in seen]
        seen.update(new)
        if new:
            out[path] = new

    for folder, _, names in sorted(os.walk(os.path.join(root, 'engine'))):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), root)
            if not name.endswith(('.c', '.rules', '.def', '.h')):
                continue
            text = open(os.path.join(root, path), encoding='utf-8').read()
            if name.endswith('.rules'):
                take(path, of_rules(text))
            elif path in TABLES or os.path.dirname(path) in TABLE_FOLDERS:
                take(path, of_table(text))
            elif name.endswith('.c'):
                take(path, of_terms(text) + of_calls(text, path in REASON_FILES))
    for path in TABLES:
        if path.startswith('app/'):
            take(path, of_table(open(os.path.join(root, path), encoding='utf-8').read()))
    return out


def main():
    root = sys.argv[1]
    target = os.path.join(root, 'data', 'po', 'sentences.h')
    assert of_rules('# One.\n# Two.\na-b: x -> y\n  when z\nc: d -> e\n') == ['One. Two.']
    assert of_calls('g_set_error (e, D, C, x ? "aa bb %" G_GINT64_FORMAT " c" : "dd ee", n);', False) == ['aa bb %li c', 'dd ee']
    lines = ['/* The engine\'s sentences, gathered by sentences.py for translators; not edited by hand. */']
    for path, sentences in gather(root).items():
        lines.append(f'/* {path} */')
        lines += [f'N_ ("{s}")' for s in sentences]
    text = '\n'.join(lines) + '\n'
    there = open(target, encoding='utf-8').read() if os.path.exists(target) else ''
    if '--check' not in sys.argv:
        if text != there:
            open(target, 'w', encoding='utf-8').write(text)
        return 0
    new, old = set(lines), set(there.split('\n'))
    for line in sorted(new - old):
        print(f'data/po/sentences.h has not: {line}')
    for line in sorted(old - new - {''}):
        print(f'data/po/sentences.h has what is not there any more: {line}')
    if new != old - {''}:
        print('(python3 data/po/sentences.py . gathers them anew)')
    return 1 if new != old - {''} else 0


if __name__ == '__main__':
    sys.exit(main())
