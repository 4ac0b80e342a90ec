// A Chromium that emulates a phone, controlled through its debugging protocol.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import type { Body } from './api.ts';

/**
 * Debian's headless Chromium is preferred, because it starts in a third of the processor time. Its wrapper in /usr/bin is not used, because it does not
 * end with this process.
 */
const PLACES = [
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
export const chromium = PLACES.find((file) => existsSync(file));
export const noChromium = `skipped: none of ${PLACES.join(', ')} is here`;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const VIOLATIONS = 'axe.run({ preload: false }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))';

export type Phone = {
  /** Opens a page and waits until it has loaded. */
  open(url: string): Promise<void>;
  /** Runs an expression before the scripts of every page that is opened from now on, until the returned function is called. */
  prepare(expression: string): Promise<() => Promise<void>>;
  /** Sets the size of the page in CSS pixels. */
  resize(width: number): Promise<void>;
  /** The JSON value of an expression in the page, or of the promise that it returns. */
  evaluate(expression: string): Promise<Body>;
  /** Clicks in the middle of an element and waits for the next page. */
  tap(selector: string): Promise<void>;
  /** Presses a key: Enter or Escape. */
  press(key: 'Enter' | 'Escape'): Promise<void>;
  /** Draws a line across an element. */
  draw(selector: string): Promise<void>;
  screenshot(): Promise<Buffer>;
  /** The accessibility violations that axe-core finds in the page. */
  violations(): Promise<Body[]>;
  /** Errors and warnings of the page. */
  complaints: string[];
  /** The URLs that the pages have requested. */
  requests: string[];
  stop(): Promise<void>;
};

const [WIDTH, HEIGHT] = [390, 844];

/** Starts a browser, with additional options of Chromium. */
export async function startPhone(...options: string[]): Promise<Phone> {
  const profile = mkdtempSync(path.join(os.tmpdir(), 'clinic-phone-'));
  const child = spawn(
    chromium ?? '',
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--accept-lang=es',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      ...options,
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const origin = new URL((await addressOf(child)).replace('ws:', 'http:')).origin;
    const targets = (await (await fetch(`${origin}/json/list`)).json()) as Body[];
    const { send, once, complaints, requests } = await connect(targets.find(({ type }) => type === 'page').webSocketDebuggerUrl);
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await send(`${domain}.enable`);
    const resize = async (to: number) =>
      void (await send('Emulation.setDeviceMetricsOverride', { width: to, height: HEIGHT, deviceScaleFactor: 2, mobile: to < 800 }));
    await resize(WIDTH);
    const evaluate = async (expression: string) => (await send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true })).result.value;
    const following = async (work: () => Promise<unknown>) => {
      const loaded = once('Page.loadEventFired');
      await work();
      await loaded; // may be the event of the previous page
      await waitFor(async () => (await evaluate('document.readyState')) === 'complete');
    };
    const boxOf = async (selector: string) => {
      await evaluate(`document.querySelector('${selector}').scrollIntoView({ block: 'center' })`);
      return evaluate(`(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2, width }))(
        document.querySelector('${selector}').getBoundingClientRect())`);
    };
    const mouse = (type: string, { x, y }: Body) => send('Input.dispatchMouseEvent', { type, x, y, button: 'left', buttons: 1, clickCount: 1 });
    return {
      open: (url) => following(() => send('Page.navigate', { url })),
      async prepare(source) {
        const { identifier } = await send('Page.addScriptToEvaluateOnNewDocument', { source });
        return async () => void (await send('Page.removeScriptToEvaluateOnNewDocument', { identifier }));
      },
      resize,
      evaluate,
      async tap(selector) {
        const box = await boxOf(selector);
        await following(async () => {
          for (const type of ['mousePressed', 'mouseReleased']) await mouse(type, box);
        });
      },
      async press(key) {
        const event = key === 'Enter' ? { key, code: key, windowsVirtualKeyCode: 13, text: '\r' } : { key, code: key, windowsVirtualKeyCode: 27 };
        for (const type of ['keyDown', 'keyUp']) await send('Input.dispatchKeyEvent', { type, ...event });
      },
      async draw(selector) {
        const { x, y, width } = await boxOf(selector);
        await mouse('mousePressed', { x: x - width / 3, y });
        await mouse('mouseMoved', { x, y: y + 20 });
        await mouse('mouseMoved', { x: x + width / 3, y: y - 20 });
        await mouse('mouseReleased', { x: x + width / 3, y: y - 20 });
      },
      screenshot: async () => Buffer.from((await send('Page.captureScreenshot')).data, 'base64'),
      violations: () => evaluate(`${AXE}; ${VIOLATIONS}`),
      complaints,
      requests,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.once('exit', () => reject(new Error(`chromium ended: ${said}`)));
    child.stderr?.on('data', (chunk) => {
      said += chunk;
      const address = /DevTools listening on (ws:\S+)/.exec(said)?.[1];
      if (address) resolve(address);
    });
  });
}

async function connect(url: string) {
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  const waiting = new Map<number, { resolve: (result: Body) => void; reject: (error: Error) => void }>();
  const listeners = new Map<string, () => void>();
  const complaints: string[] = [];
  const requests: string[] = [];
  let last = 0;
  socket.onmessage = ({ data }) => {
    const { id, result, error, method, params } = JSON.parse(String(data));
    if (id !== undefined) {
      if (error) waiting.get(id)?.reject(new Error(error.message));
      else waiting.get(id)?.resolve(result);
      waiting.delete(id);
    }
    listeners.get(method)?.();
    if (method === 'Network.requestWillBeSent') requests.push(params.request.url);
    if (method === 'Network.webSocketCreated') requests.push(params.url);
    if (method === 'Log.entryAdded') complaints.push(params.entry.text);
    if (method === 'Runtime.exceptionThrown') complaints.push(params.exceptionDetails.text);
  };
  const send = (method: string, params: Body = {}) =>
    new Promise<Body>((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  const once = (method: string) => new Promise<void>((resolve) => listeners.set(method, resolve));
  return { send, once, complaints, requests };
}
