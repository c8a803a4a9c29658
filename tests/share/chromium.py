"""A headless Chromium, driven through its debugging pipe: what is evaluated there is no script of the page, so that a page's policy stays as it is."""
import base64
import json
import os
import shutil
import subprocess
import tempfile


def find():
    for name in ('chromium', 'chromium-browser', 'google-chrome'):
        if shutil.which(name):
            return shutil.which(name)
    return None


class Chromium:
    def __init__(self, width=1280, height=800, scripts=True):
        self.folder = tempfile.TemporaryDirectory()
        to_read, self.to = os.pipe()
        self.back, from_write = os.pipe()

        def pipes():      # Chromium reads from 3 and writes to 4
            a, b = os.dup(to_read), os.dup(from_write)
            os.dup2(a, 3)
            os.dup2(b, 4)
        self.process = subprocess.Popen([find(), '--headless', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe', '--hide-scrollbars', '--no-first-run', '--disable-dev-shm-usage',
                                         f'--user-data-dir={self.folder.name}', f'--window-size={width},{height}', 'about:blank'], preexec_fn=pipes, close_fds=False,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.rest, self.number, self.session, self.events = b'', 0, None, []
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        self.call('Page.enable')
        self.call('Runtime.enable')
        self.call('Log.enable')
        self.call('Network.enable')
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=False)
        if not scripts:
            self.call('Emulation.setScriptExecutionDisabled', value=True)

    def read(self):
        while b'\0' not in self.rest:
            part = os.read(self.back, 1 << 16)
            if not part:
                raise RuntimeError('chromium ended')
            self.rest += part
        message, self.rest = self.rest.split(b'\0', 1)
        return json.loads(message)

    def call(self, method, **params):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': params}
        if self.session:
            message['sessionId'] = self.session
        os.write(self.to, json.dumps(message).encode() + b'\0')
        while True:
            answer = self.read()
            if answer.get('id') == self.number:
                if 'error' in answer:
                    raise RuntimeError(f'{method}: {answer["error"]["message"]}')
                return answer['result']
            self.events.append(answer)

    def open(self, url):
        self.events.clear()
        self.call('Page.navigate', url=url)
        while not any(e.get('method') == 'Page.loadEventFired' for e in self.events):
            self.events.append(self.read())

    def dark(self, on=True):
        self.call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': 'dark' if on else 'light'}])

    def size(self, width, height, mobile=False):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def eval(self, text):
        answer = self.call('Runtime.evaluate', expression=text, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in answer:
            raise RuntimeError(answer['exceptionDetails'].get('exception', {}).get('description') or answer['exceptionDetails']['text'])
        return answer['result'].get('value')

    def key(self, key):
        for kind in ('keyDown', 'keyUp'):
            self.call('Input.dispatchKeyEvent', type=kind, key=key, code=key)

    def click(self, x, y):
        for kind in ('mousePressed', 'mouseReleased'):
            self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, button='left', clickCount=1)

    def picture(self, path):
        with open(path, 'wb') as f:
            f.write(base64.b64decode(self.call('Page.captureScreenshot', format='png')['data']))

    def complaints(self):
        """The messages of the console and the log, and every request that was not a file or data of the page itself."""
        said = [e['params'].get('entry', {}).get('text') or str(e['params'].get('args') or e['params'].get('exceptionDetails')) for e in self.events
                if e.get('method') in ('Log.entryAdded', 'Runtime.consoleAPICalled', 'Runtime.exceptionThrown')]
        return said + [e['params']['request']['url'] for e in self.events if e.get('method') == 'Network.requestWillBeSent' and not e['params']['request']['url'].startswith('file:')]

    def close(self):
        try:
            self.session = None
            self.call('Browser.close')
        except (RuntimeError, OSError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.back)
        for _ in range(20):
            try:
                self.folder.cleanup()
                break
            except OSError:
                pass

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.close()
