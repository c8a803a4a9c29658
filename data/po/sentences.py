#!/usr/bin/env python3
"""Gathers the engine's sentences into data/po/sentences.h: sentences.py SOURCE-ROOT [--check]

xgettext reads C that is marked; sentences of rules, rows of tables, reasons and errors are not. This takes every literal of the engine
that is words and not code, so that a new one cannot be forgotten, and writes each as a line
N_ ("…") that xgettext reads and that the programs include as their list of templates (ui/share/words.c). --check: says what is missing
or too much, and writes nothing.
"""
import os
import re
import sys

# Tables whose rows end with, or contain, a sentence.
TABLES = ['engine/ir/ops.def', 'engine/pipeline.def', 'engine/settings.h', 'engine/render/dialect.def', 'engine/render/targets.def',
          'engine/run/compilers.def', 'engine/ask/facts.def', 'engine/schedule/reasons.def', 'engine/schedule/schedule.h', 'engine/trace/in-place.h', 'engine/codegen/procedure-passes.h', 'app/options.def', 'app/commands.h']
# Tables whose rows' names are words that a reader sees.
NAME_TABLES = {'engine/run/measure.h': r'\bX \(\w+, +"([\w-]+)"', 'engine/trace/equality.h': r'\bX \(\w+, +"([\w-]+)"',
               'engine/render/dialect.def': r'\bX \(\w+, +\w+, +"([\w ]+)"'}
TABLE_FOLDERS = ['engine/codegen/options']
# Functions that take a template, also one that is short; it is their first literal.
CALLS = (r'\b(?:g_set_error|g_set_error_literal|ls_sentence|ls_sentence_append|ls_choose|ls_tensors_fail|ls_rule_fail_at|ls_scan_fail|'
         r'ls_reader_fail|ls_cli_refuse|LS_TEMPLATE|fail|fail_at|wrong|refuse)\s*\(')
SHORT = ('ls_sentence', 'LS_TEMPLATE')
# What is not for translation: the lines before a literal that say so, and literals that are code.
NOT_SHOWN = re.compile(r'(?:\bg_(?:critical|warning|error|thread_new) \(|#error|\b(?:ls_reader_query|prepare|number_after) \()[^;]*$|'
                       r'\.(?:thread|head|function) =\s*$|LS_CELL_\w+, \.sentence =\s*$|#define KERNELS\s*$')
CODE = re.compile(r'[{}]|;(?:$|\\n)|\\[ne][^ ]*[#\[]|^ ?(?:SELECT|INSERT|CREATE|UPDATE|PRAGMA|#)|\(\*|\w+\*|\b(?:un)?signed (?:char|short|int|long)|\b(?:struct|void|static|'
                  r'const) \w+|dont_use_locals|MemBuffer|━━|offset=|model name|SQLite format|^key, value|\\n.+\\n|^llvm-mca: %s|_Generic|default: ls_|getelementptr|bitcast|%%[ipjqt]%u|nounwind|define void|lazyscope-runner-llvm$')
# Folders of another language's texts: exceptions and documentation of Python are English, as Python's are.
PYTHON = 'engine/program/'
# The runner's process has no catalogue; comparing stores is for tests; LLVM IR is code.
OTHERS = ('engine/run/runner/main.c', 'engine/trace/store-compare.c', 'engine/render/function-text.c', 'engine/render/llvm.c',
          'engine/render/llvm-op.c')
TERMS = re.compile(r'const LsTerm ls_\w+_terms\[\] = \{(.*?)\n\};', re.S)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
MACROS = {'G_GINT64_FORMAT': 'li', 'G_GUINT64_FORMAT': 'lu', 'G_GSIZE_FORMAT': 'lu', 'G_GINT64_MODIFIER': 'l'}
GROUP = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*(?:"(?:[^"\\\n]|\\.)*"|' + '|'.join(MACROS) + '))*')
PROSE = re.compile(r"%u (?:lanes|columns)|[a-z]{2,}['s]*[,:;.]? (?:\(?%[a-z]+\)? )*[a-z(]{2,}|[a-z]{3,}: %|%[su]\)? (?:is|has|was|of)\b")
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


def of_names(path, text):
    return re.findall(NAME_TABLES[path], text)


def of_titles(text):
    """Headings of text tables."""
    return [s for s in re.findall(r'\.title = "([^"]*)"', text) if re.search(r'[a-z]', s)]


def of_terms(text):
    return [s for table in TERMS.findall(without_comments(text)) for _, s in literals(table) if WORDS.search(s)]


def of_calls(text):
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
            if WORDS.search(s) or (m.group(0).startswith(SHORT) and re.search(r'[a-z]{3}', s)):
                found.append(s)
            other = re.match(r'\s*:\s*(?=")', rest[literal.end():])
            literal = GROUP.match(rest, literal.end() + other.end()) if other else None
    return found


def without_records(text):
    """Without the rows of an answer's fields, whose sentences are the manual's."""
    blank = lambda m: re.sub(r'[^\n]', ' ', m.group(0))
    return re.sub(r'^[ \t]*#define \w+\(X\)(?:.*\\\n)*.*$', blank, text, flags=re.M)


def of_prose(text):
    """Literals that are words, wherever they stand."""
    text, found = without_records(without_comments(text)), []
    for at, s in literals(text):
        before = text[max(0, at - 300):at]
        if PROSE.search(s) and not s.startswith(':') and not CODE.search(s) and not NOT_SHOWN.search(before):
            found.append(re.sub(r'^\\n|(?:\\n|: )$', '', s))      # texts are shown line by line, and after a colon
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
            out.setdefault(path, []).extend(new)

    for folder, _, names in sorted(os.walk(os.path.join(root, 'engine'))):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), root)
            if not name.endswith(('.c', '.rules', '.def', '.h')):
                continue
            text = open(os.path.join(root, path), encoding='utf-8').read()
            if name.endswith('.rules'):
                take(path, of_rules(text))
            elif name == 'candidate.def':
                take(path, of_titles(text))
            elif path in TABLES or os.path.dirname(path) in TABLE_FOLDERS:
                take(path, of_table(text))
            if path in NAME_TABLES:
                take(path, of_names(path, text))
            if name.endswith('.h') and path not in TABLES:
                take(path, of_calls(text))
            if name.endswith('.c') and os.path.dirname(path) not in TABLE_FOLDERS:
                take(path, of_titles(text) + of_terms(text) + of_calls(text) + ([] if path.startswith(PYTHON) or path in OTHERS else of_prose(text)))
    for name in sorted(os.listdir(os.path.join(root, 'app'))):
        path = 'app/' + name
        text = open(os.path.join(root, path), encoding='utf-8').read()
        take(path, of_table(text) if path in TABLES else of_calls(text) if name.endswith('.c') else [])
    return out


def main():
    root = sys.argv[1]
    target = os.path.join(root, 'data', 'po', 'sentences.h')
    assert of_rules('# One.\n# Two.\na-b: x -> y\n  when z\nc: d -> e\n') == ['One. Two.']
    assert of_calls('g_set_error (e, D, C, x ? "aa bb %" G_GINT64_FORMAT " c" : "dd ee", n);') == ['aa bb %li c', 'dd ee']
    assert of_prose('#define A(X) X (a, "the number of it")\nf ("the node has no value"); g ("void f;"); g_critical ("%s is not it", y);') == ['the node has no value']
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
