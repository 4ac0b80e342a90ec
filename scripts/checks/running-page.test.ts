// docs/running.md names every setting, so that nobody has to read code to configure the product.
import { readFileSync } from 'node:fs';
import { gatewayCallSettings } from '@clinic/gateway/settings.ts';
import { listenSettings } from '@clinic/lib/runtime/main.ts';
import { expect, test } from '@jest/globals';
import { declaredServices, settingNames } from '../dev/launch/settings.ts';

test('docs/running.md names every setting, and its tables nothing else', async () => {
  const page = readFileSync(new URL('../../docs/running.md', import.meta.url), 'utf8');
  const settings = [...settingNames(await declaredServices()), ...Object.keys({ ...listenSettings, ...gatewayCallSettings })];
  expect(settings.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  const inTables = [...page.matchAll(/^\| (`[A-Z0-9_]+`(?:, `[A-Z0-9_]+`)*) \|/gm)].flatMap(([, names = '']) => names.replaceAll('`', '').split(', '));
  expect(inTables.length).toBeGreaterThan(60);
  expect(inTables.filter((name) => !settings.includes(name))).toEqual([]);
});
