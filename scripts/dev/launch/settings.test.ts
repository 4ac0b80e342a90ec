// Launchers read the settings of a service without loading its code: they must be those with which the service runs.
import { hasTypingError } from '@clinic/lib/config/misspelled.ts';
import { listenSettings } from '@clinic/lib/runtime/main.ts';
import { expect, test } from '@jest/globals';
import { loadModules } from './modules.ts';
import { withFreePorts } from './ports.ts';
import { declaredServices, settingNames } from './settings.ts';

test('each service runs with the settings and dependencies of its settings.ts', async () => {
  const ofModules = (await loadModules()).map(({ name, settings, dependencies }) => ({ name, settings, dependencies }));
  expect(ofModules).toEqual(await declaredServices());
});

test('no two settings are so similar that one would be reported as a misspelling of the other', async () => {
  const names = [...settingNames(await declaredServices()), ...Object.keys(listenSettings)].flatMap((name) => [name, `${name}_FILE`]);
  expect(names.flatMap((name) => names.filter((other) => hasTypingError(name, other)).map((other) => `${name} ${other}`))).toEqual([]);
});

test('public ports that are 0 become free ones, which the printed addresses name', async () => {
  const { PORT, ADMIN_PORT } = await withFreePorts({ PORT: '0', ADMIN_PORT: '8081' });
  expect([Number(PORT) > 1_023, ADMIN_PORT]).toEqual([true, '8081']);
});
