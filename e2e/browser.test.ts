// The reference in a real browser: it draws every route, and nothing leaves this machine.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { describe, expect, test } from '@jest/globals';
import type { Body } from './api.ts';
import { rows } from './rows.ts';

const run = promisify(execFile);
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];
const chromium = PLACES.find((file) => existsSync(file));

// The reason is in the name, because a skipped test reports nothing else.
const where = chromium ? describe : describe.skip;

where(chromium ? 'the reference in Chromium' : `the reference in Chromium (skipped: none of ${PLACES.join(', ')} is here)`, () => {
  test('shows every route without a word to anybody else', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'clinic-browser-'));
    const netLog = path.join(folder, 'net.json');
    // The world behind this machine is cut off, so that what the page needs must come from here.
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
      const { stdout: page } = await run(
        chromium ?? '',
        [
          ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', `--user-data-dir=${folder}/profile`, `--log-net-log=${netLog}`],
          '--window-size=1280,60000', // the page draws the routes that are in view
          ...[...quiet, '--virtual-time-budget=10000', '--dump-dom', `${publicApi().baseUrl}/docs`],
        ],
        { maxBuffer: 64 * 1024 * 1024, timeout: 60_000 },
      );
      const { paths } = (await (await fetch(`${publicApi().baseUrl}/api/openapi.json`)).json()) as {
        paths: Record<string, Record<string, { summary: string }>>;
      };
      for (const { path: route, method } of rows) {
        const documented = route.replaceAll(/:(\w+)/g, '{$1}');
        expect(page).toContain(`data-path="${documented}"`);
        expect(page).toContain(paths[documented]?.[method]?.summary);
      }
      expect(page).not.toContain('Failed to load');
      const asked = requestsOf(publicApi().baseUrl, netLog);
      expect(asked).toEqual(expect.arrayContaining(['/docs/start.js', '/api/openapi.json'].map((file) => `${publicApi().baseUrl}${file}`)));
      expect(asked.filter((url) => !url.startsWith(`${publicApi().baseUrl}/`) && !url.startsWith('data:'))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 90_000);
});

/** Every URL that was asked for on behalf of the page. What the browser asks for itself has no origin as its initiator. */
function requestsOf(origin: string, netLog: string): string[] {
  const { constants, events } = JSON.parse(readFileSync(netLog, 'utf8'));
  const start = constants.logEventTypes.URL_REQUEST_START_JOB;
  return events.flatMap(({ type, params }: Body) => (type === start && params?.initiator === origin ? [params.url] : []));
}
