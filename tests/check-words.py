#!/usr/bin/env python3
"""Plain English: check-words.py SOURCE-ROOT

Searches the project's sentences for forms that an engineer abroad must read twice; the section "Words" of HACKING.md has the words to use.

1. Texts (string literals of C, tables, marked texts of Python, JavaScript and blueprints, docstrings of the tensor library, sentences of rules, the manual) have none.
2. Comments and docs (comments of C, comments and docstrings of Python, *.md) have at most a quarter of those at commit 9959d70, which
   `git archive 9959d70 | tar -x -C FOLDER; tests/check-words.py --count FOLDER` counts.

The patterns are tried on wrong and right sentences first, and the search on files with a wrong sentence of each kind. --list SOURCE-ROOT [PART] prints all findings.
"""
import os
import re
import sys
import tempfile

COMMENTS_BEFORE = 2277      # comments and docs of commit 9959d70, by these patterns

# A name, a pattern, and sentences: the first must be found by it; those after it are correct English and must not be.
PATTERNS = [
    ('"is not a …", not "is no …"', r'\b(?<!there )(?<!There )(is|are|was|were|be) no (?!longer\b|less\b|fewer\b|\w+er than\b|more than\b|one\b)[a-z]+',
     ['pi is no tensor', 'there is no rule', 'it is no longer used', 'it is no larger than 4']),
    ('"is not one", not "is none"', r'(?<!there )(?<!There )\b(is|are|was|were) none\b', ['a loop that is none', 'there is none']),
    ('"a user", "anyone", not "whoever"', r'\b[Ww]ho(so)?ever\b', ['Whoever has a browser', 'a person who reads']),
    ('"someone", not "somebody"', r'\b[Ss]omebody\b', ['as somebody new to it', 'as someone new to it']),
    ('"reports", "warns", not "tells", "is told"', r'\b(is|are|was|were|be) told\b|\b[Tt]ells? (it|so|of|that|which|what|why|how|whether|nobody|nothing|the)\b|\btold (of|about|by)\b',
     ['the user is told', 'an error says why', 'the figures tell a story']),
    ('"N-th", not "so-manieth"', r'\bso-many(eth)?\b|\bso-manieth\b', ['each of every so-manieth value', 'every N-th value']),
    ('"is available", "is refused", not "can be had"', r'\b(can|may|could|cannot|not|to) be had\b', ['an option that may be had', 'it had to be a power of two']),
    ('name the thing, not "What …" as a subject', r'(^|[.:;] )What (?!if)[^?.]*[.;,]', ['What is contiguous by force twice is so once.', 'What does it do?']),
    ('name the thing, not "of what …"', r'\b(of|than|for|by|with|from|to|in|on|as|and|or|but|into|over|is|are|not|all|at|like) what (?!if|to)[a-z]',
     ['a list of what hangs on it', 'it says what a rule does', 'a comment on what to look for']),
    ('name the thing, not "what stands …"', r'\bwhat (stands|hangs|comes|goes|lies|follows|makes|has|holds|needs|takes|was|had|belongs|remains)\b', ['what stands there', 'what it needs']),
    ('"iteration", not "turn"', r'\b(each|one|first|next|last|a|every|per|\d+|many|more|of|same|whole|both|two|its) turns?\b(?! (on|off))|\bturns of\b|\bin turns\b|\bturn of (a|the|its) loop',
     ['each turn of a loop', 'a second turn', 'each in turn', 'it turns the axis']),
    ('"is rewritten to", not "became another"', r'\b(became|becomes?) (an)?other\b', ['VIEW became another one', 'VIEW became PERMUTE']),
    ('"besides", "next to", not "beside"', r'\b[Bb]eside\b', ['beside that', 'besides that']),
    ('a sentence of its own, not "of which"', r'\bof (which|whom)\b', ['a list, of which two are odd', 'a list: two are odd']),
    ('"is in", "is at", not "stands in"', r'\b(stand|stands|stood) (in|at|on|there|before|after|beside|above|below|between|behind|under|over|first|last|here|with|by)\b',
     ['the file stands in data', 'it stands for a value']),
    ('"depends on", not "hangs on"', r'\b(hang|hangs|hung|hanging) (on|from|at)\b', ['all that hangs on it', 'the program hangs']),
    ('"those axes that …", not "Of … those"', r'(^|[.;] )Of (?!course|(the )?(two|three|both|all|these)\b)(?![^.]*\?)', ['Of axes reversed those are kept.', 'Of course it is.']),
    ('say what is so', r'\b(is|are|was|were) so\b(?! (that|far|long|much|large|small|many|few|\w+ (that|a)))|\bor not so\b', ['which is so once', 'it is so large that it is split']),
    ('"is no longer", not "is no more"', r'\b(is|are|was|be|are|hold|holds) no more\b(?! than)', ['it is no more', 'it is no more than 4']),
    ('"leaves x unchanged", not "is nothing"', r'(?<!there )(?<!There )\b(is|are) nothing\b(?! (but|else|more|that|to))', ['a cast there and back is nothing', 'there is nothing']),
    ('"because", not "for it …"', r', for (it|they|there|that|this|these|those|he|its|no|nothing|such|all|both|a|an|the) [a-z]+ (is|are|was|were|has|have|would|may|can|do|does)\b|, for (it|they|there) ',
     ['it is kept, for it is small', 'a table for it']),
    ('no archaic words', r'\b(lest|whence|thence|whither|thereof|therein|wherein|whereby|thereupon|hitherto|amongst|nought|naught|anew|thither|wherefrom|whereof)\b', ['made anew', 'made again']),
    ('"instead of", not "in the place of"', r'\bin the place of\b|\bin the stead of\b', ['a loop in the place of a range', 'instead of']),
]
COMPILED = [(name, re.compile(pattern)) for name, pattern, _ in PATTERNS]

TOKEN = re.compile(r'/\*(?P<block>.*?)\*/|//(?P<line>[^\n]*)|"(?P<text>(?:[^"\\\n]|\\.)*)"|\'(?:[^\'\\\n]|\\.)+\'', re.S)
PYTHON = re.compile(r'(?P<doc>[rbuf]?"""(?P<inner>.*?)""")|#(?P<line>[^\n]*)|\'(?P<single>(?:[^\'\\\n]|\\.)*)\'|"(?P<double>(?:[^"\\\n]|\\.)*)"', re.S)


def hits(sentence):
    return [(name, m.group(0)) for name, pattern in COMPILED for m in pattern.finditer(sentence)]


def plain(comment):
    """A comment's words in one line: the stars and line ends of a block are gone."""
    return re.sub(r'\s+', ' ', re.sub(r'\n\s*\**', ' ', comment)).strip(' *')


def c_parts(text):
    """('text' or 'comment', line, words) of a C file; literals that follow each other are one text, a block of // lines is one comment."""
    parts, end, kind = [], -1, None
    for m in TOKEN.finditer(text):
        between = text[end:m.start()] if end >= 0 else None
        line = text.count('\n', 0, m.start()) + 1
        if m['text'] is not None:
            words = m['text'].replace('\\n', ' ').replace('\\"', '"')
            if kind == 'text' and re.fullmatch(r'\s*(PRI\w+|G_G\w+_FORMAT)?\s*', between):
                parts[-1] = ('text', parts[-1][1], parts[-1][2] + words)
            else:
                parts.append(('text', line, words))
            kind = 'text'
        elif m['block'] is not None or m['line'] is not None:
            parts.append(('comment', line, plain(m['block'] if m['block'] is not None else m['line'])))
            kind = 'comment'
        else:
            kind = None
        end = m.end()
    return parts


def blocks(lines, start=1):
    """Paragraphs of (line, words) from lines: what ends a sentence for certain is an empty line, a row of a table, a heading or a list's item."""
    at, words = 0, []
    for n, line in enumerate(lines, start):
        if words and (not line.strip() or re.match(r'\s*([|#>-]|\d+\.|\.[A-Z\\])', line)):
            yield at, ' '.join(words)
            words = []
        if line.strip():
            at = at if words else n
            words.append(line.strip())
    if words:
        yield at, ' '.join(words)


def python_parts(text, shown, internal):
    """The docstrings and comments of a Python file. If it is `shown` to users, its literals are texts, and so are its docstrings unless they are `internal`."""
    for m in PYTHON.finditer(text):
        line = text.count('\n', 0, m.start()) + 1
        if m['doc'] is not None:
            for n, words in blocks(m['inner'].split('\n'), line):
                yield 'text' if shown and not internal else 'comment', n, words
        elif m['line'] is not None:
            yield 'comment', line, m['line'].strip()
        elif shown and ' ' in (m['single'] or m['double'] or ''):
            yield 'text', line, m['single'] or m['double']


def parts_of(path, text):
    """(kind, line, words) of a file: 'text' is read by users, 'comment' by those who work on the project."""
    if path.endswith(('.c', '.h', '.def')):
        tests = path.startswith('tests/')
        for kind, line, words in c_parts(text):
            if kind == 'comment' or not tests:
                yield kind, line, words
    elif path.endswith('.rules'):
        for n, line in enumerate(text.split('\n'), 1):
            if line.startswith('#'):
                yield 'text', n, line.strip('# ')
    elif path.endswith('.py'):
        yield from python_parts(text, path.startswith(('engine/', 'data/programs/')), path.startswith('engine/program/'))
    elif path.endswith(('.blp', '.js')):
        for m in re.finditer(r"""_\((['"])((?:(?!\1)[^\\]|\\.)*)\1\)|//([^\n]*)|/\*(.*?)\*/""", text, re.S):
            line = text.count('\n', 0, m.start()) + 1
            yield ('text', line, m[2]) if m[1] else ('comment', line, plain(m[3] or m[4] or ''))
    elif path.endswith(('.md', '.in', '.xml', '.desktop')):
        kind = 'comment' if path.endswith('.md') and path != 'README.md' else 'text'
        for n, words in blocks(re.sub(r'^```.*?^```', lambda m: '\n' * m[0].count('\n'), text, flags=re.S | re.M).split('\n')):
            yield kind, n, re.sub(r'`[^`]*`', '`…`', words)


def findings(root):
    """All (kind, 'FILE:LINE', name of the pattern, words found, sentence)."""
    for top in ('app', 'data', 'engine', 'tests', 'ui', ''):
        for at, folders, names in os.walk(os.path.join(root, top)):
            folders[:] = sorted(f for f in folders if f not in ('golden', 'fuzz', 'peer', 'po')) if top else []
            for name in sorted(names):
                path = os.path.relpath(os.path.join(at, name), root)
                if path == 'tests/check-words.py' or not name.endswith(('.c', '.h', '.def', '.rules', '.py', '.blp', '.js', '.md', '.in', '.xml', '.desktop')):
                    continue
                with open(os.path.join(at, name), encoding='utf-8') as f:
                    text = f.read()
                for kind, line, words in parts_of(path, text):
                    for pattern, found in hits(words):
                        yield kind, f'{path}:{line}', pattern, found, words


def try_on_wrong_sentences():
    """Each pattern on its sentences, and the search on a file of each kind with a wrong sentence."""
    wrong = []
    for name, _, (bad, *good) in PATTERNS:
        if name not in [n for n, _ in hits(bad)]:
            wrong.append(f'the pattern {name} does not find: {bad}')
        wrong += [f'the pattern {name} finds in a right sentence: {s}' for s in good if name in [n for n, _ in hits(s)]]
    bad = 'the user is told'
    with tempfile.TemporaryDirectory() as root:
        for path, text in {
            'engine/ask/ask.c': f'/* a\n * b: {bad}\n */\nconst char *s = "the user is " PRIu64\n  "told \\"x\\"";\nint n = 1;      // {bad}\n',
            'engine/rules/a.rules': f'# {bad}\nr: x -> x\n', 'engine/tensor/library/a.py': f"""def f():\n    \"\"\"{bad}\"\"\"\n    raise E('{bad}')      # {bad}\n""",
            'ui/a.blp': f'Label {{ label: _("{bad}"); }}', 'ui/share/a.js': f"_('{bad}')      // {bad}\n", 'data/a.1.in': f'.TP\nThe user\nis told\n',
            'HACKING.md': f'| {bad} |\n', 'README.md': f'{bad}\n', 'tests/ask/test-ask.c': f'/* {bad} */\nconst char *s = "{bad}";\n', 'app/options.def': f'X (a, "{bad}")\n',
        }.items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), 'w', encoding='utf-8') as f:
                f.write(text)
        found = sorted((place, kind) for kind, place, *_ in findings(root))
    expected = [('HACKING.md:1', 'comment'), ('README.md:1', 'text'), ('app/options.def:1', 'text'), ('data/a.1.in:1', 'text'), ('engine/ask/ask.c:1', 'comment'),
                ('engine/ask/ask.c:4', 'text'), ('engine/ask/ask.c:6', 'comment'), ('engine/rules/a.rules:1', 'text'), ('engine/tensor/library/a.py:2', 'text'),
                ('engine/tensor/library/a.py:3', 'comment'), ('engine/tensor/library/a.py:3', 'text'), ('tests/ask/test-ask.c:1', 'comment'), ('ui/a.blp:1', 'text'),
                ('ui/share/a.js:1', 'comment'), ('ui/share/a.js:1', 'text')]
    return wrong + [f'the search does not find the {kind} in {place}' for place, kind in expected if (place, kind) not in found] + \
        [f'the search finds a {kind} in {place}' for place, kind in found if (place, kind) not in expected]


def main():
    if sys.argv[1] in ('--list', '--count'):
        seen = list(findings(sys.argv[2]))
        for kind in ('text', 'comment'):
            if sys.argv[1] == '--count':
                print(kind, sum(x[0] == kind for x in seen))
                print('\n'.join(f'    {sum(x[0] == kind and x[2] == name for x in seen)} {name}' for name, *_ in PATTERNS))
        for kind, place, pattern, found, words in seen if sys.argv[1] == '--list' else ():
            if len(sys.argv) < 4 or kind == sys.argv[3] or place.startswith(sys.argv[3]):
                print(f'{kind} {place}: {pattern}, in "{found}": {words}')
        return 0
    wrong = try_on_wrong_sentences()
    seen = list(findings(sys.argv[1]))
    wrong += [f'{place}: {pattern}, in "{found}": {words}' for kind, place, pattern, found, words in seen if kind == 'text']
    comments = [x for x in seen if x[0] == 'comment']
    if len(comments) > COMMENTS_BEFORE // 4:
        wrong += [f'{place}: {pattern}, in "{found}": {words}' for _, place, pattern, found, words in comments]
        wrong.append(f'comments and docs have {len(comments)} such forms, and may have {COMMENTS_BEFORE // 4}')
    print('\n'.join(wrong) if wrong else f'0 in texts, {len(comments)} in comments and docs (at most {COMMENTS_BEFORE // 4})')
    return 1 if wrong else 0


sys.exit(main())
