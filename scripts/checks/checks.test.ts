// Each check reports its faults and accepts correct code.

import { expect, test } from '@jest/globals';
import { PROJECT } from '../schemas.ts';
import { misnumberedMigrations } from './migrations.ts';
import { persistedNames, privateWords } from './private-words.ts';
import { publishingOutsideTheOutbox, queriesOutsideTransactions, settingsOutsideConfig } from './single-places.ts';
import { readSources } from './source.ts';
import { findUnfinished } from './unfinished.ts';

const at = (file: string, text: string) => ({ file, text });
/** The places of the faults. */
const places = (faults: string[]) => faults.map((fault) => fault.split(': ')[0]);

test('a query outside the transaction functions', () => {
  const bad = [
    at('services/one/handlers/get-one.ts', 'const a = 1;\nawait app.db.pool.query("select 1");'),
    at('gateway/pipeline/mount.ts', 'new pg.Client()'),
    at('lib/events/outbox.ts', 'await tx.client.query(`x`)'),
    at('services/one/jobs/purge.ts', 'const client = await db.pool.connect();'),
  ];
  const good = [
    at('lib/db/db.ts', 'client.query(begin)'),
    at('services/one/tests/one.test.ts', 'await client.query("select 1")'),
    at('services/one/sql/rows.ts', '// never client.query(\nrows(tx, statement)'),
    at('scripts/dev/demo/create.ts', 'new pg.Client()'),
  ];
  expect(places(queriesOutsideTransactions([...bad, ...good]))).toEqual(bad.map(({ file, text }) => `${file}:${text.split('\n').length}`));
});

test('an event published without the outbox', () => {
  expect(places(publishingOutsideTheOutbox([at('services/one/handlers/a.ts', 'nats.publish("x")'), at('lib/events/outbox.ts', 'stream.publish(x)')]))).toEqual([
    'services/one/handlers/a.ts:1',
  ]);
});

test('a setting read from the environment', () => {
  const sources = [
    at('gateway/app.ts', 'if (process.env.DEBUG) {}'),
    at('scripts/dev/start.ts', 'process.env.PORT'),
    at('services/one/main.ts', 'run(process.env)'),
  ];
  expect(places(settingsOutsideConfig(sources))).toEqual(['gateway/app.ts:1']);
});

test("markers of unfinished work and paths of a developer's machine", () => {
  const todo = 'TO' + 'DO';
  const bad = [at('a.ts', `ok\n// ${todo}: later`), at('b.md', `see /${'tmp'}/x`), at('c.sql', `-- ${'FIX' + 'ME'}`)];
  const good = [at('d.ts', `const ${todo}S = 1; import '../work/x.ts'; 'services/home/x'`), at('e.md', 'https://example.com/home/page')];
  expect(places(findUnfinished([...bad, ...good]))).toEqual(['a.ts:2', 'b.md:1', 'c.sql:1']);
});

test('migrations with a gap, a duplicate number, or a name that is never applied', () => {
  const room = (name: string, ...files: string[]) => files.map((file) => at(`services/${name}/migrations/${file}`, ''));
  expect(misnumberedMigrations([...room('good', '0001_init.sql', '0002_more.sql'), ...room('gap', '0001_init.sql', '0003_more.sql')])).toHaveLength(1);
  expect(misnumberedMigrations(room('twice', '0001_init.sql', '0001_other.sql'))).toHaveLength(1);
  expect(misnumberedMigrations(room('named', '0001_init.sql', '2_more.sql'))).toHaveLength(1);
});

test('all files of the tree are read, except generated and installed ones', () => {
  const files = readSources(PROJECT).map(({ file }) => file);
  expect(files).toEqual(expect.arrayContaining(['README.md', 'lib/db/db.ts', 'lib/db/migrations/0001_plumbing.sql', 'proto/clinic/common/v1/options.proto']));
  expect(files.filter((file) => /node_modules|proto\/gen/.test(file))).toEqual([]);
});

test('a word that docs/style.md replaces', () => {
  const bad = [
    at('lib/a.ts', '// Rings the bell.'),
    at('lib/b.ts', 'const toldPatients = [];'),
    at('docs/c.md', 'The door answers.'),
    at('services/messaging/d.ts', "log.warn('nats is away');"),
  ];
  const good = [
    at('lib/e.ts', '// Signals the relay.'),
    at('services/scheduling/f.ts', "sql('select dui_sealed from patients')"), // a stored name
    at('services/messaging/g.ts', "// plain-words: visit is the word on patients' phones\nconst id = 'visit';"),
  ];
  expect(places(privateWords([...bad, ...good], persistedNames(PROJECT)))).toEqual(bad.map(({ file }) => `${file}:1`));
});
