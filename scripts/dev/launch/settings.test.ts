// Launchers read the settings of a service without loading its code: they must be those with which the service runs.
import { hasTypingError } from '@clinic/lib/config/misspelled.ts';
import { listenSettings } from '@clinic/lib/runtime/main.ts';
import { expect, test } from '@jest/globals';
import { loadModules } from './modules.ts';
import { declaredServices, settingNames } from './settings.ts';

test('each service runs with the settings and dependencies of its settings.ts', async () => {
  const ofModules = (await loadModules()).map(({ name, settings, dependencies }) => ({ name, settings, dependencies }));
  expect(ofModules).toEqual(await declaredServices());
});

test('no two settings are so similar that one would be reported as a misspelling of the other', async () => {
  const names = [...settingNames(await declaredServices()), ...Object.keys(listenSettings)].flatMap((name) => [name, `${name}_FILE`]);
  expect(names.flatMap((name) => names.filter((other) => hasTypingError(name, other)).map((other) => `${name} ${other}`))).toEqual([]);
});
