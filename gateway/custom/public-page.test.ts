import { hash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

test.each(['/register', '/reset-password'])('the policy of %s permits its own style and script and nothing else', async (path) => {
  const page = await fetch(gateway.url + path);
  const html = await page.text();
  const source = (element: string) => {
    const [, text = ''] = new RegExp(`<${element}>([^]*?)</${element}>`).exec(html) ?? [];
    expect(text).not.toBe('');
    return `'sha256-${hash('sha256', text, 'base64')}'`;
  };
  expect(page.headers.get('content-security-policy')).toBe(
    `default-src 'none'; script-src ${source('script')}; connect-src 'self'; style-src ${source('style')}; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`,
  );
  for (const id of ['form', 'message', 'button']) expect(html).toContain(`id="${id}"`);
});

test.each(['/register', '/reset-password', `/forms/${'a'.repeat(66)}`])(
  '%s says before its form, which is hidden without a script, that it needs one',
  async (path) => {
    gateway.replies['FormService.getPublicForm'] = () => ({ status: 'open', firstName: 'Rosa', title: 'Alergias' });
    const html = await (await fetch(gateway.url + path)).text();
    expect(html).toMatch(/<noscript><p class="note">Esta página necesita JavaScript.*<form id="form" hidden/s);
  },
);

test('the scripts of pages use nothing that Chrome 81, the last one for Android 4.4, does not have', async () => {
  gateway.replies['FormService.getPublicForm'] = () => ({ status: 'open', firstName: 'Rosa', title: 'Alergias' });
  for (const path of ['/register', `/forms/${'a'.repeat(66)}`]) {
    const [, script] = /<script>(.*)<\/script>/s.exec(await (await fetch(gateway.url + path)).text()) ?? [];
    expect(script).not.toMatch(/\.(at|replaceAll|findLast|toSorted|toReversed|hasOwn|replaceChildren)\(|structuredClone|(\?\?|\|\||&&)=|\bawait import/);
  }
});

test('the text of a form and the answers of a patient retain their lines', async () => {
  const [text, answer] = ['Primer párrafo.\n\nSegundo párrafo.', 'Penicilina\nLátex'];
  gateway.replies['FormService.getPublicForm'] = () => ({
    ...{ status: 'open', firstName: 'Rosa', title: 'Alergias', text, fields: [{ kind: 'text', label: '¿A qué?' }], answers: [{ field: 0, value: answer }] },
  });
  const html = await (await fetch(`${gateway.url}/forms/${'a'.repeat(66)}`)).text();
  expect(html).toContain(`<div class="text">${text}</div>`);
  expect(html).toContain(`>${answer}</textarea>`);
});

test('a page supports only GET, HEAD and OPTIONS', async () => {
  for (const [method, status] of [
    ['POST', 405],
    ['OPTIONS', 204],
  ] as const) {
    const response = await fetch(`${gateway.url}/register`, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([status, 'GET, HEAD, OPTIONS']);
  }
});
