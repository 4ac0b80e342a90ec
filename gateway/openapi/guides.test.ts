// The pages of the guides exist, and so do the pages to which they link.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import express from 'express';
import { guideNames, guides } from './guides.ts';

let server: Server;
beforeAll(() => {
  server = express()
    .use(guides(createLog('test', 'silent')))
    .listen(0);
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});
const open = (path: string) => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);

test('each guide is a page of its own, without scripts, and is listed in the menu of every page', async () => {
  const addresses = ['/docs/guides', ...guideNames().map((name) => `/docs/guides/${name}`)];
  expect(addresses.length).toBeGreaterThan(8);
  for (const address of addresses) {
    const answer = await open(address);
    const html = await answer.text();
    expect([address, answer.status, answer.headers.get('content-type')]).toEqual([address, 200, 'text/html; charset=utf-8']);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    for (const other of addresses) expect(html).toContain(`href="${other}"`);
    expect(html.match(/<h1>/g)).toHaveLength(1);
    expect(html).toMatch(/<pre tabindex="0"><code[^>]*>[^<]*\n[^<]*</);
    expect(html).not.toMatch(/<(pre|table)>/); // the keyboard can scroll them
    const links = [...html.matchAll(/href="(\/docs\/guides[^"#]*)/g)].map(([, link]) => link ?? '');
    for (const link of new Set(links)) expect([address, link, (await open(link)).status]).toEqual([address, link, 200]);
  }
});
