// Settings of a service in tests. The keys protect test data only.
import type { z } from 'zod';
import { type CommonSettings, commonSettings, keyRing, readSettings } from '../config/config.ts';
import type { DatabaseUrls } from '../db/db.ts';

/** An address at which nothing listens: services then work without NATS, and their events wait in the outbox. */
const NO_NATS = 'nats://127.0.0.1:1';

export const testKeys = `test:${Buffer.alloc(32, 7).toString('base64')}`;
export const testRing = keyRing.parse(testKeys);

export function testSettings<S extends z.ZodRawShape>(
  shape: S,
  values: Record<string, string | undefined> & DatabaseUrls,
): CommonSettings & z.infer<z.ZodObject<S>> {
  const DATA_DIR = process.env.CLINIC_TEST_DATA_DIR; // deleted after the run
  const env = { NODE_ENV: 'test', LOG_LEVEL: 'silent', NATS_URL: NO_NATS, ENCRYPTION_KEYS: testKeys, DATABASE_POOL: '5', DATA_DIR, ...values };
  return readSettings({ ...commonSettings, ...shape }, env) as CommonSettings & z.infer<z.ZodObject<S>>;
}
