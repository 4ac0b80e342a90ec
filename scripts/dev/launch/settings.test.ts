// Launchers read the settings of a service without loading its code: they must be those with which the service runs.
import { expect, test } from '@jest/globals';
import { loadModules } from './modules.ts';
import { declaredServices } from './settings.ts';

test('each service runs with the settings and dependencies of its settings.ts', async () => {
  const ofModules = (await loadModules()).map(({ name, settings, dependencies }) => ({ name, settings, dependencies }));
  expect(ofModules).toEqual(await declaredServices());
});
