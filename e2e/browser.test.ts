// The reference in a real browser: it shows every route, its quick start works, and it sends no requests to other machines.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { describe, expect, test } from '@jest/globals';
import { apiAt, type Body } from './api.ts';
import { addDoctor, book, booking, newClinic } from './clinic.ts';
import { chromium, noChromium, startPhone } from './phone.ts';
import { rows } from './rows.ts';

const run = promisify(execFile);
// The name contains the reason, because a skipped test reports nothing else.
const where = chromium ? describe : describe.skip;

where(chromium ? 'the reference in Chromium' : `the reference in Chromium (${noChromium})`, () => {
  test('shows every tag without requests to other machines', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'clinic-browser-'));
    const netLog = path.join(folder, 'net.json');
    // Other machines are unreachable, so everything that the page needs must come from this one.
    const alone = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost';
    const quiet = [
      alone,
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-default-apps',
      '--disable-extensions',
    ];
    try {
      const options = [
        ...[
          '--headless',
          '--no-sandbox',
          '--disable-gpu',
          '--disable-software-rasterizer',
          '--disable-dev-shm-usage',
          `--user-data-dir=${folder}/profile`,
          `--log-net-log=${netLog}`,
        ],
        ...[...quiet, '--virtual-time-budget=10000', '--dump-dom', `${publicApi().baseUrl}/docs`],
      ];
      const look = async () => (await run(chromium ?? '', options, { maxBuffer: 64 * 1024 * 1024, timeout: 600_000 })).stdout;
      const page = (await look()) || (await look()); // empty when the machine was too busy to start the browser
      for (const { name } of (await documentOf()).tags) expect(page).toContain(`data-tag="${name}"`);
      expect(page).not.toContain('Failed to load');
      const asked = requestsOf(publicApi().baseUrl, netLog);
      expect(asked).toEqual(expect.arrayContaining(['/docs/start.js', '/api/openapi.json'].map((file) => `${publicApi().baseUrl}${file}`)));
      expect(asked.filter((url) => !url.startsWith(`${publicApi().baseUrl}/`) && !url.startsWith('data:'))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('lists every route below its tag, finds routes, signs in with one click and sends the token', async () => {
    const api = apiAt(publicApi());
    const { email, password } = await newClinic(api);
    const { paths } = await documentOf();
    const browser = await startPhone();
    const seen = (selector: string) => waitFor(async () => await browser.evaluate(`document.querySelector('${selector}') !== null`));
    const open = async () => {
      await browser.open(`${publicApi().baseUrl}/docs`);
      await seen('.opblock-tag');
    };
    const click = async (selector: string) => {
      await seen(selector);
      await browser.evaluate(`document.querySelector('${selector}').click()`);
    };
    const text = (selector: string) => browser.evaluate(`document.querySelector('${selector}')?.textContent`);
    const type = (selector: string, value: string) =>
      browser.evaluate(`{
        const field = document.querySelector('${selector}');
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, '${value}');
        field.dispatchEvent(new Event('input', { bubbles: true }));
      }`);
    try {
      await open();
      const groups = await browser.evaluate("[...document.querySelectorAll('.tag-group')].map(({ textContent }) => textContent)");
      expect(groups).toEqual(['Front desk', 'Patients', 'Dental', 'Money', 'Chat', 'Clinic', 'Platform']);
      expect(await browser.evaluate('document.documentElement.scrollWidth')).toBe(390);
      const listed: string[] = await browser.evaluate(`ui.specSelectors.taggedOperations().toList().toJS()
        .flatMap(({ operations }) => operations.map(({ method, path, operation }) => [method, path, operation.summary].join(' ')))`);
      const documented = rows.map(({ path: route, method }) => {
        const named = route.replaceAll(/:(\w+)/g, '{$1}');
        return `${method} ${named} ${paths[named][method].summary}`;
      });
      expect(listed).toEqual(expect.arrayContaining(documented));
      await type('.operation-filter-input', 'get free slots');
      const found = "[...document.querySelectorAll('.opblock-tag-section .opblock-summary-description')].map(({ textContent }) => textContent)";
      const titles = ['List the free slots of a day', 'Count free slots by day', 'List the free times of a day'];
      await waitFor(async () => expect(await browser.evaluate(found)).toEqual(titles));
      expect(await browser.violations()).toEqual([]);
      await click('#quick-start a[href="#/Doctors/listDoctors"]');
      await seen('#operations-Doctors-listDoctors.is-open');
      for (const [field, value] of Object.entries({ email, password })) await type(`#${field}`, value);
      await click('#sign-in button');
      await waitFor(async () => (await text('#state')) === 'Signed in as Ana Morales.');
      await open();
      await click('a[href="#/Doctors/listDoctors"]');
      await click('.try-out__btn');
      await click('.execute');
      await seen('.live-responses-table .response-col_status');
      expect(await text('.live-responses-table tbody .response-col_status')).toContain('200');
      expect(browser.complaints).toEqual([]);
    } finally {
      await browser.stop();
    }
  });

  test('its client receives live events, and after a lost connection the missed ones', async () => {
    const api = apiAt(publicApi());
    const clinic = await newClinic(api);
    const doctor = await addDoctor(api, clinic);
    const document = await documentOf();
    const [, example = ''] = /```js\n(.*?)```/s.exec(document.paths['/api/events'].get.description) ?? [];
    const browser = await startPhone();
    try {
      await browser.open(`${publicApi().baseUrl}/docs`);
      await browser.evaluate(`${example.replace('export ', '')};
        window.received = [];
        window.connections = [];
        const fetchAsIs = window.fetch;
        window.fetch = (url, options) => {
          window.connections.push(new AbortController());
          return fetchAsIs(url, { ...options, signal: window.connections.at(-1).signal });
        };
        void followEvents(async () => '${clinic.token}', (name, data) => window.received.push([name, data.appointment.appointment_id]), new AbortController().signal)`);
      const received = (count: number) =>
        waitFor(async () => (await browser.evaluate('window.received.length')) >= count).then(() => browser.evaluate('window.received'));
      await waitFor(async () => (await browser.evaluate('window.connections.length')) === 1);
      const first = await book(api, clinic, booking(doctor.id, '08:00'));
      expect(await received(1)).toEqual([['appointment_booked', first.id]]);
      await browser.evaluate('window.connections[0].abort()');
      const second = await book(api, clinic, booking(doctor.id, '09:00'));
      expect(await received(2)).toEqual([
        ['appointment_booked', first.id],
        ['appointment_booked', second.id],
      ]);
      expect(await browser.evaluate('window.connections.length')).toBeGreaterThan(1);
    } finally {
      await browser.stop();
    }
  });
});

async function documentOf(): Promise<Body> {
  return (await fetch(`${publicApi().baseUrl}/api/openapi.json`)).json();
}

/** Every URL that the page requested. The browser's own requests have no origin as initiator. */
function requestsOf(origin: string, netLog: string): string[] {
  const { constants, events } = JSON.parse(readFileSync(netLog, 'utf8'));
  const start = constants.logEventTypes.URL_REQUEST_START_JOB;
  return events.flatMap(({ type, params }: Body) => (type === start && params?.initiator === origin ? [params.url] : []));
}
