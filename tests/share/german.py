"""English texts in a German page: texts of its own that the catalogue translates."""
import gettext
import os
import re

ENGLISH = {'LC_ALL': 'C.UTF-8', 'LANGUAGE': ''}
GERMAN = {'LC_ALL': 'C.UTF-8', 'LANGUAGE': 'de'}


def environment(language):
    return {**os.environ, **language}


HOLE = r'\{\d\}|%(?:\.\d)?(?:l{0,2})[a-z]'


class Catalogue:
    def __init__(self, path):
        with open(path, 'rb') as f:
            texts = gettext.GNUTranslations(f)._catalog
        self.words = {k: v for k, v in texts.items() if isinstance(k, str) and k and v != k}
        filled = [self.pattern(k) for k in self.words if re.search(HOLE, k) is None or len(re.findall(r'[A-Za-z]{3,}', re.sub(HOLE, '', k))) > 1]      # one word next to a placeholder is too short
        self.english = re.compile('(?:' + '|'.join(sorted(filled, key=len, reverse=True)) + ')')

    @staticmethod
    def pattern(text):
        pieces = re.split(f'({HOLE})', text)
        return ''.join(re.escape(p) if k % 2 == 0 else r'[\d.,]+' if p[-1] in 'udgf' else '.{1,30}' for k, p in enumerate(pieces))

    def english_in(self, texts):
        """The texts that are in the catalogue, complete, as translated."""
        return sorted({t.strip() for t in texts if self.english.fullmatch(t.strip()) and t.strip() not in self.words.values()})
