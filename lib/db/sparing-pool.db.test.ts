// Connections that a pool opens, on a real PostgreSQL.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type TestDatabase, testDatabase } from '../testing/database.ts';
import { SparingPool } from './sparing-pool.ts';

let database: TestDatabase;
let pool: SparingPool;
beforeAll(async () => {
  database = await testDatabase();
});
afterEach(() => pool.end());
afterAll(() => database.drop());

const open = (max: number, more: object = {}) => {
  pool = new SparingPool({ connectionString: database.ownerUrl, max, ...more });
  pool.on('error', () => {}); // of a connection that is being closed when the database is dropped
  return pool;
};
const times = <T>(count: number, work: () => Promise<T>) => Promise.all(Array.from({ length: count }, work));

test('statements of the same instant share a connection', async () => {
  open(10);
  const results = times(20, () => pool.query('select 1'));
  expect([pool.totalCount, pool.waitingCount]).toEqual([1, 19]);
  await results;
});

test('while connections are held it opens more, one after another, up to its maximum', async () => {
  open(3);
  const held = await times(3, () => pool.connect());
  expect(pool.totalCount).toBe(3);
  const late = pool.connect();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect([pool.totalCount, pool.waitingCount]).toEqual([3, 1]);
  for (const client of held) client.release();
  (await late).release();
});

test('a caller that holds a connection gets another one', async () => {
  open(2);
  const first = await pool.connect();
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  first.release();
});

test('connections that were not needed for a while are closed, and opened again one after another', async () => {
  open(3, { idleTimeoutMillis: 50 });
  for (const client of await times(3, () => pool.connect())) client.release();
  await new Promise((resolve) => pool.on('remove', () => pool.totalCount === 0 && resolve(undefined)));
  const results = times(5, () => pool.query('select 1'));
  expect(pool.totalCount).toBe(1);
  await results;
});

test('when no connection can be opened, all callers fail', async () => {
  pool = new SparingPool({ connectionString: 'postgres://nobody@127.0.0.1:1/none', max: 3, connectionTimeoutMillis: 2_000 });
  const failed = await times(5, () => pool.query('select 1').catch(({ code }) => code));
  expect(failed).toEqual(Array(5).fill('ECONNREFUSED'));
});
