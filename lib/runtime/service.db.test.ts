// A service that cannot be started.
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { migrate } from '../db/migrate.ts';
import { createLog } from '../telemetry/log.ts';
import { testDatabase } from '../testing/database.ts';
import { testSettings } from '../testing/settings.ts';
import { type ServiceModule, startService } from './service.ts';

test('the error of the start is thrown also when a part that was started cannot be stopped; that error is logged', async () => {
  const migrations = path.join(import.meta.dirname, '../../services/platform/migrations');
  const database = await testDatabase();
  try {
    await migrate(database.ownerUrl, [{ schema: 'platform', migrations }]);
    const loops = [{ stop: () => Promise.reject(new Error('the loop does not stop')) }];
    const create = () => ({ implementations: [], consumers: [], jobs: [], loops });
    const module: ServiceModule = { name: 'platform', migrations, settings: {}, dependencies: [], personal: { tables: [] } as never, create };
    const settings = { ...testSettings({}, database.urls('platform')), NATS_URL: 'no address' };
    const lines: string[] = [];
    const log = createLog('platform', 'error', { write: (line) => void lines.push(line) });
    const started = startService(module, { settings, log, transportTo: () => ({}) as never });
    await expect(started).rejects.toThrow('Invalid URL');
    expect(lines).toEqual([expect.stringContaining('the loop does not stop')]);
  } finally {
    await database.drop();
  }
});
