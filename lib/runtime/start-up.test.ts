import { expect, test } from '@jest/globals';
import { createLog } from '../telemetry/log.ts';
import { waitFor } from '../testing/wait-for.ts';
import { watchStartUp } from './start-up.ts';

test('a process that becomes ready after failed checks logs that it has recovered', async () => {
  const messages: string[] = [];
  const log = createLog('test', 'warn', { write: (line: string) => void messages.push(JSON.parse(line).msg) });
  let missing = ['0007_new.sql'];
  const startUp = watchStartUp({ missingMigrations: async () => missing, nats: { refused: async () => false }, log, everyMs: 5 });
  await waitFor(() => expect(messages).toEqual(['the process is not ready']));
  missing = [];
  await waitFor(() => startUp.ready());
  expect(messages).toEqual(['the process is not ready', 'recovered: the process is not ready']);
  await startUp.stop();
  expect(messages).toHaveLength(2);
});

test('a process becomes ready once the database, its schema and NATS are usable, and stays ready', async () => {
  const state = { database: false, missing: ['0007_new.sql'], refused: true, checks: 0, ready: 0 };
  const startUp = watchStartUp({
    async missingMigrations() {
      state.checks++;
      if (!state.database) throw new Error('password authentication failed');
      return state.missing;
    },
    nats: { refused: async () => state.refused },
    log: createLog('test', 'silent'),
    onReady: () => state.ready++,
    everyMs: 5,
  });
  const stillNotReady = async () => {
    const { checks } = state;
    await waitFor(() => state.checks > checks + 1);
    expect([startUp.ready(), state.ready]).toEqual([false, 0]);
  };
  await stillNotReady();
  state.database = true;
  await stillNotReady();
  state.missing = [];
  await stillNotReady();
  state.refused = false;
  await waitFor(() => startUp.ready());
  state.database = false;
  state.refused = true;
  await new Promise(setImmediate);
  expect([startUp.ready(), state.ready]).toEqual([true, 1]);
  await startUp.stop();
});
