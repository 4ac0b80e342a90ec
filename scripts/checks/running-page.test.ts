// docs/running.md names every setting, so that nobody has to read code to configure the product.
import { readFileSync } from 'node:fs';
import { gatewayCallSettings, gatewaySettings } from '@clinic/gateway/settings.ts';
import { commonSettings } from '@clinic/lib/config/config.ts';
import { listenSettings } from '@clinic/lib/runtime/main.ts';
import { expect, test } from '@jest/globals';
import { loadModules } from '../dev/launch/settings.ts';

test('docs/running.md names every setting', async () => {
  const page = readFileSync(new URL('../../docs/running.md', import.meta.url), 'utf8');
  const modules = await loadModules();
  const settings = [commonSettings, listenSettings, gatewaySettings, gatewayCallSettings, ...modules.map((module) => module.settings)].flatMap((shape) =>
    Object.keys(shape),
  );
  expect(settings.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
