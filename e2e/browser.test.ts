// The reference in a real browser: it shows every route, its quick start works, and it sends no requests to other machines.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { apiAt, type Body } from './api.ts';
import { addDoctor, book, booking, newClinic } from './clinic.ts';
import { chromium, noChromium, type Phone, startPhone } from './phone.ts';
import { rows } from './rows.ts';

// The name contains the reason, because a skipped test reports nothing else.
const where = chromium ? describe : describe.skip;

where(chromium ? 'the reference in Chromium' : `the reference in Chromium (${noChromium})`, () => {
  const { baseUrl } = publicApi();
  let browser: Phone;

  const seen = (selector: string) => waitFor(async () => await browser.evaluate(`document.querySelector('${selector}') !== null`));
  const open = async () => {
    await browser.open(`${baseUrl}/docs`);
    await seen('.opblock-tag');
  };
  const expectNoOtherMachine = () => expect(browser.requests.filter((url) => !url.startsWith(`${baseUrl}/`) && !url.startsWith('data:'))).toEqual([]);

  beforeAll(async () => {
    // Other machines are unreachable, so everything that the page needs must come from this one.
    browser = await startPhone('--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost');
    await open();
  });
  afterAll(async () => {
    await browser?.stop();
  });

  test('shows every tag without requests to other machines', async () => {
    for (const { name } of (await documentOf()).tags) await seen(`[data-tag="${name}"]`);
    expect(await browser.evaluate('document.documentElement.outerHTML')).not.toContain('Failed to load');
    expect(browser.requests).toEqual(expect.arrayContaining(['/docs/start.js', '/api/openapi.json'].map((file) => `${baseUrl}${file}`)));
    expectNoOtherMachine();
  });

  test('lists every route below its tag, finds routes, signs in with one click and sends the token', async () => {
    const { email, password } = await newClinic(apiAt(publicApi()));
    const { paths } = await documentOf();
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
    expectNoOtherMachine();
  });

  test('its client receives live events, and after a lost connection the missed ones', async () => {
    const api = apiAt(publicApi());
    const clinic = await newClinic(api);
    const doctor = await addDoctor(api, clinic);
    const document = await documentOf();
    const [, example = ''] = /```js\n(.*?)```/s.exec(document.paths['/api/events'].get.description) ?? [];
    await browser.open(`${baseUrl}/docs/start.css`); // with the origin and the Content-Security-Policy of the reference
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
  });
});

async function documentOf(): Promise<Body> {
  return (await fetch(`${publicApi().baseUrl}/api/openapi.json`)).json();
}
