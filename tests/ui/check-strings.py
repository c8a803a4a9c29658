#!/usr/bin/env python3
"""Every text that a user sees can be translated, and is: check-strings.py SOURCE-ROOT

1. data/po/POTFILES lists the files that have marked strings, and no others.
2. No words go to the user unmarked: C literals that read as words or are handed to a widget, texts in blueprints, and what the command
   line prints.
3. No marked string is cut by a macro (xgettext reads literals only: "%" G_GINT64_FORMAT ends it).
4. Every catalogue that LINGUAS names has all of them, with nothing fuzzy.
5. data/po/sentences.h has the engine's sentences of today.

Each finding is a line FILE:LINE: what is wrong. The checks are tried on faulty text first, so that a broken check is not a passed one.
"""
import os
import re
import subprocess
import sys
import tempfile

MARKED = r'\b(?:_|N_|C_|NC_|ngettext|g_dngettext)\s*\($'
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
# Functions whose texts come before the user, whatever they look like.
SHOWING = (r'\b(?:gtk_label_new|gtk_label_set_(?:text|label|markup)|gtk_button_new_with_(?:label|mnemonic)|gtk_button_set_label|\w+_set_tooltip_(?:text|markup)|'
           r'\w+_set_placeholder_text|\w+_set_title|\w+_set_subtitle|\w+_set_description|gtk_check_button_new_with_label|gtk_toggle_button_new_with_label|'
           r'ls_window_toast|ls_tip_set|g_menu_append(?:_section|_submenu)?|g_menu_item_new|gtk_stack_add_titled|GTK_ACCESSIBLE_PROPERTY_(?:LABEL|DESCRIPTION),)')
SENTENCE = re.compile(r'[A-Za-z]{2,}[,:;.]? (?:%\w+ )?[A-Za-z]{2,}')
# Literals that read as words but are not shown: for files, other programs and the log.
NOT_SHOWN = re.compile(r'digraph G|; record the program again$|color-scheme|default-src|^opens at$|node \[shape|DejaVu|SQLite format 3|^cancelled$|^(?:win|app|graph)\.[a-z:-]+$')
NO_WORDS = re.compile(r"^'(?:use strict|box under|None|now hit|\.columns tbody tr|(?:row|code|rule|law|call|bound) (?:mono|dim)\b.*|(?:Arrow|Page|Home|End|Escape)\w*)'$")      # of a script: classes, keys
BLUEPRINT_TEXT = re.compile(r'\b(?:label|tooltip-text|title|placeholder-text|subtitle|description): "([^"]*[A-Za-z]{2}[^"]*)"|\bitem \("([^"]*)"')


def without_comments(text):
    return re.sub(r'/\*.*?\*/', lambda m: re.sub(r'[^\n]', ' ', m.group(0)), text, flags=re.S)


def unmarked_in_c(text, cli=False):
    """For a C file: (line, literal) of words that no translator gets to see."""
    text = without_comments(text)
    text = re.sub(r'^[ \t]*#(?:[^\n\\]|\\.)*', lambda m: ' ' * len(m.group(0)), text, flags=re.M)
    found, last_end, last_marked = [], 0, False
    for m in re.finditer(LITERAL, text):
        before, gap = text[max(0, m.start() - 300):m.start()].rstrip(), text[last_end:m.start()]
        plural = last_marked and gap.strip() in (',', '')      # ngettext's second, or a literal that goes on
        marked = bool(re.search(MARKED, before)) or plural
        last_end, last_marked = m.end(), marked
        words = re.sub(r'<[^<>]*(?:>|$)|^[^<>]*>', ' ', m.group(0)[1:-1])      # HTML is not text
        statement = re.split(r'[;{}]', re.sub(LITERAL, '""', before))[-1]
        shown = re.search(SHOWING + r'[^"]*(?:"[^"]*"\)?\s*[:,][^"]*)*$', statement) and re.search(r'[A-Za-z]{3}', re.sub(r'%\w+|\\.', '', words))
        names = re.search(r'icon_name \($', before) or (re.fullmatch(r'[a-z-]+', words) and 'gtk_stack_add_titled' in statement)
        key = re.match(r',\s*N_\(', text[m.end():])      # a table from texts of a recording to shown texts
        if not marked and not names and not key and not NOT_SHOWN.search(words) and (SENTENCE.search(words) or shown):
            if not re.search(r'\b(?:g_object_new|g_log|g_error|g_warning|g_critical|g_debug|g_assert\w*|g_regex_\w+|CHILD|g_strsplit|g_signal_\w+' + ('|g_set_error|ls_page_check_size' if cli else '') + r')\s*\([^;]*$', statement):
                found.append((text.count('\n', 0, m.start()) + 1, m.group(0)))
    return found


def unmarked_in_blueprint(text):
    return [(text.count('\n', 0, m.start()) + 1, m.group(1) or m.group(2)) for m in BLUEPRINT_TEXT.finditer(text)]


def unmarked_in_js(text):
    """For a page's script: literals that read as words, outside of _('…')."""
    text = without_comments(text)
    return [(text.count('\n', 0, m.start()) + 1, m.group(0)) for m in re.finditer(r"'(?:[^'\\\n]|\\.)*'", text)
            if not text[:m.start()].endswith('_(') and re.search(r'[A-Za-z]{2,}[,:;.]? [A-Za-z]{2,}|^[A-Z][a-z]{2,}', m.group(0)[1:-1])
            and not re.search(r"(?:panel\(|=== |show\(walk \? |show\(walk \? 'Program' : )$", text[:m.start()]) and not NO_WORDS.search(m.group(0))]


ENGLISH_PROGRAMS = ('cli-debug.c', 'manual.c')      # --debug's listings; the manual page is made in English


def unmarked_printed(text):
    """For the command line: (line, literal) of words that are printed and not marked. Its errors are sentences.py's."""
    return [(text.count('\n', 0, m.start()) + 1, m.group(1)) for m in re.finditer(r'\b(?:f?printf|f?puts)\s*\((?:std\w+, )?\s*(' + LITERAL + ')', without_comments(text))
            if SENTENCE.search(re.sub(r'lazyscope-cli|\\n', '', m.group(1)))]


UNMARKED = {'.c': unmarked_in_c, '.def': unmarked_in_c, '.blp': unmarked_in_blueprint, '.js': unmarked_in_js}


def cut_by_macro(text):
    return [(text.count('\n', 0, m.start()) + 1, m.group(0)) for m in re.finditer(r'\b(?:_|N_|ngettext)\s*\(\s*' + LITERAL + r'\s*[A-Z_]{4,}', without_comments(text))]


def has_marked(name, text):
    if name.endswith('.blp'):
        return '_("' in text
    if name.endswith('.js'):
        return "_('" in text
    return bool(re.search(r'\b(?:_|N_|C_|ngettext)\s*\(\s*"', without_comments(text)))


def try_the_checks():
    bad_c = ['gtk_label_set_text (l, "Timing");', 'f (g_strdup ("no such place"));', 'gtk_widget_set_tooltip_text (w,\n  shown ? "Hide" : "Show");',
             'gtk_stack_add_titled (s, w, "rules", "Rules");', 'ls_window_toast (self, a ? _("Yes") : "Never");', 'g_strdup_printf ("%u nodes are new", n);']
    good_c = ['gtk_label_set_text (l, _("Timing"));', 'x = ngettext ("%u node is", "%u nodes are", n);', '/* "words in a comment" */', 'f (_("one two "\n "three four"));',
              'gtk_label_set_text (l, "%u");', '#include "no such file"']
    for text in bad_c:
        assert unmarked_in_c(text), text
    for text in good_c:
        assert not unmarked_in_c(text), (text, unmarked_in_c(text))
    assert unmarked_in_blueprint('Label { label: "Timing"; }') and not unmarked_in_blueprint('Label { label: _("Timing"); }')
    assert unmarked_in_blueprint('item ("_Open", "win.open")') and not unmarked_in_blueprint('item (_("_Open"), "win.open")')
    assert unmarked_in_js("e.title = 'The whole';") and unmarked_in_js("x ? 'step ' + k : 'of the pass'") and not unmarked_in_js("_('The whole'); el('p', 'dim'); /* it's 'a remark here' */")
    assert unmarked_printed('printf ("row %u has it", n);') and not unmarked_printed('printf (_("row %u has it"), n); fprintf (stderr, "lazyscope-cli: %s\\n", x);')
    assert cut_by_macro('_("row %" G_GINT64_FORMAT "x")') and not cut_by_macro('_("row %s", ROWS)')


def catalogue_findings(root, folder):
    keywords = ['--from-code=UTF-8', '--keyword=_', '--keyword=N_', '--keyword=LS_TITLE', '--keyword=C_:1c,2', '--keyword=g_dngettext:2,3']
    with tempfile.TemporaryDirectory() as temporary:
        template = os.path.join(temporary, 'lazyscope.pot')
        subprocess.run(['xgettext', *keywords, '-D', root, '-f', os.path.join(folder, 'POTFILES'), '-o', template], check=True, stderr=subprocess.DEVNULL)
        for language in open(os.path.join(folder, 'LINGUAS'), encoding='utf-8').read().split():
            catalogue = os.path.join(folder, language + '.po')
            checked = subprocess.run(['msgfmt', '-c', '-o', os.path.join(temporary, 'out.mo'), catalogue], capture_output=True, text=True)
            compared = subprocess.run(['msgcmp', catalogue, template], capture_output=True, text=True, env={**os.environ, 'LC_ALL': 'C.UTF-8', 'LANGUAGE': ''})
            if checked.returncode:
                yield checked.stderr.strip()
            if compared.returncode:
                yield compared.stderr.strip().replace(temporary + os.sep, '') + '\n(ninja -C build lazyscope-update-po takes new strings into the catalogues, to be translated there)'


def main():
    root = sys.argv[1]
    folder = os.path.join(root, 'data', 'po')
    try_the_checks()
    findings, marked = [], set()
    listed = set(open(os.path.join(folder, 'POTFILES'), encoding='utf-8').read().split())
    for directory, _, names in os.walk(os.path.join(root, 'ui')):
        for name in names:
            path = os.path.join(directory, name)
            relative = os.path.relpath(path, root)
            if not name.endswith(('.c', '.def', '.blp', '.js')):
                continue
            text = open(path, encoding='utf-8').read()
            if has_marked(name, text):
                marked.add(relative)
            marks = UNMARKED[os.path.splitext(name)[1]]
            for line, words in marks(text, True) if relative.startswith('ui/share/') and name.endswith('.c') else marks(text):      # errors of pages are the command line's
                findings.append(f'{relative}:{line}: not marked for translation: {words}')
            findings += [f'{relative}:{line}: a macro cuts the string: {words}' for line, words in cut_by_macro(text)]
    for name in os.listdir(os.path.join(root, 'app')):
        text = open(os.path.join(root, 'app', name), encoding='utf-8').read()
        if name.endswith('.c') and has_marked(name, text):
            marked.add('app/' + name)
        if name.endswith('.c') and name not in ENGLISH_PROGRAMS:
            findings += [f'app/{name}:{line}: not marked for translation: {words}' for line, words in unmarked_printed(text)]
            findings += [f'app/{name}:{line}: a macro cuts the string: {words}' for line, words in cut_by_macro(text)]
    here = {name for name in listed if name.startswith(('ui/', 'app/'))}
    findings += [f'data/po/POTFILES: {name} has marked strings and is not listed' for name in sorted(marked - here)]
    findings += [f'data/po/POTFILES: {name} is listed and has no marked string' for name in sorted(here - marked)]
    findings += [f'data/po/POTFILES: there is no {name}' for name in sorted(listed) if not os.path.exists(os.path.join(root, name))]
    gathered = subprocess.run([sys.executable, os.path.join(folder, 'sentences.py'), root, '--check'], capture_output=True, text=True)
    findings += gathered.stdout.split('\n')[:-1]
    try:
        findings += catalogue_findings(root, folder)
    except FileNotFoundError:
        print('gettext is not installed: the catalogues were not looked at')
        if not findings:
            return 77
    print('\n'.join(findings) or f'{len(marked)} files with marked strings, and no others')
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main())
