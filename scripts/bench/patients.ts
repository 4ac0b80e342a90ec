// A clinic with 100,000 patients (docs/scaling.md), through the public API of the product in one process.
import { setTimeout as sleep } from 'node:timers/promises';
import { databaseUrls } from '@clinic/lib/db/migrate.ts';
import { duiCheckDigit } from '@clinic/lib/formats/dui.ts';
import { type PatientSearch, parsePatientSearch } from '../../services/scheduling/patients/patient-search-rules.ts';
import { patientSearchQuery } from '../../services/scheduling/patients/sql/patient-search.sql.ts';
import { query, withClient } from '../database.ts';
import { parseOptions, wholeNumber } from '../help.ts';
import { memoryOf } from '../processes.ts';
import { median } from '../statistics.ts';
import { type Server, startProduct } from './children.ts';
import { clinicId, type Dataset, describe, doctorId } from './dataset.ts';
import { loadDataset } from './load.ts';
import { progress } from './progress.ts';
import { openStores, type Store } from './stores.ts';
import { signTokens } from './tokens.ts';
import { push, whileRunning } from './while-running.ts';

const SEARCHES = ['', 'maria', 'hernandez', 'mar', 'ma', 'menjivar', 'rivas maria', 'mar lop', 'nunez ana jose', '7000-12', '10004242-7', 'nobody at all'];
const LOOKS = 15;
const FIRST = 'María José Ana Luis Carlos Rosa Carmen Marta Pedro Lucía Sofía Diego Jorge Karla Óscar Yesenia Nelson'.split(' ');
const LAST = 'Hernández Martínez López García Rivas Ramírez Cruz Vásquez Mejía Orellana Portillo Zelaya Argueta'.split(' ');
const OTHER = 'Menjívar Escobar Guzmán Bonilla Ayala Villalta Núñez Quijano Figueroa Sorto Benítez Urrutia Zaldaña Rauda'.split(' ');

const USAGE = `Usage: node scripts/bench/patients.ts [--patients 100000]

Starts the product with a clinic of so many patients, and measures import, export, search, a month of slots and a calendar feed.`;

const { values } = parseOptions({ options: { patients: { type: 'string', default: '100000' } } }, USAGE);
const count = wholeNumber('--patients', values.patients, [1, 1_000_000], USAGE);

await whileRunning(async (running) => {
  const store = (await openStores(['patients'], running)).get('patients') as Store;
  // Two busy doctors: 550 appointments each are within the 97 days of the feed.
  const data = describe({ clinics: 1, appointments: 4_600, today: new Date().toISOString().slice(0, 10) });
  await loadDataset(store.ownerUrl, data);
  const product = await push(running, startProduct('single', 'patients', store.env));
  const [token = ''] = await signTokens(store.env, data);
  await sleep(3_000);
  await measure({ product, token, data, ownerUrl: store.ownerUrl });
});

type Bench = { product: Server; token: string; data: Dataset; ownerUrl: string };

async function measure(bench: Bench): Promise<void> {
  const show = (label: string, result: string) => console.log(`${label.padEnd(34)} ${result}`);
  for (const label of ['import', 'the same file again']) show(label, await measureGrowth(bench, () => importPatients(bench)));
  show('export', await measureGrowth(bench, () => exportPatients(bench)));
  await query(bench.ownerUrl, 'vacuum (analyze) scheduling.patients'); // as autovacuum does within a minute
  for (const search of SEARCHES)
    show(`search ${search || '(all)'}`, await timesOf(async () => (await request(bench, `/api/patients?search=${encodeURIComponent(search)}`)).json()));
  const [today = ''] = bench.data.days.slice(bench.data.firstFuture);
  show('free slots of a month', await timesOf(() => request(bench, `/api/doctors/${doctorId(0, 0)}/availability?month=${today.slice(0, 7)}`)));
  const { feedUrl } = (await (await request(bench, `/api/calendar/feed-url/${doctorId(0, 0)}`)).json()) as { feedUrl: string };
  const feed = new URL(feedUrl.replace('webcal:', 'http:')).pathname;
  let appointments = 0;
  const times = await timesOf(async () => {
    appointments = (await (await request(bench, feed)).text()).split('BEGIN:VEVENT').length - 1;
  });
  show(`calendar feed of ${appointments} appointments`, times);
  for (const search of ['maria', 'nunez ana jose', '7000-12', '10004242-7'])
    console.log(`\nplan of the search "${search}"\n${await planOf(bench.ownerUrl, search)}`);
}

async function request({ product, token }: Bench, path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(product.url + path, { ...init, headers: { Authorization: `Bearer ${token}`, ...init.headers } });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}

async function timesOf(look: () => Promise<unknown>): Promise<string> {
  const times = [];
  for (let n = 0; n < LOOKS; n++) {
    const started = performance.now();
    await look();
    times.push(performance.now() - started);
  }
  return `median ${median(times).toFixed(1)} ms, longest ${Math.max(...times).toFixed(1)} ms`;
}

/** The duration of `work`, and the maximum growth of the memory of the product meanwhile. */
async function measureGrowth({ product }: Bench, work: () => Promise<string>): Promise<string> {
  const resident = () => memoryOf(product.parts[0]?.pids()[0] ?? 0);
  const before = resident();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, resident());
  }, 50);
  const started = performance.now();
  const result = await work();
  clearInterval(watch);
  return `${((performance.now() - started) / 1000).toFixed(1)} s, ${before.toFixed(0)} MB before, ${(most - before).toFixed(0)} MB more at most; ${result}`;
}

type Import = { id: string; status: string; rows: number; rows_read?: number; created: number; updated: number; skipped: number; error_count: number };

async function importPatients(bench: Bench): Promise<string> {
  const bar = progress(`${count.toLocaleString('en')} patients`, count);
  const upload = { method: 'POST', body: fileOf(count), headers: { 'Content-Type': 'text/csv' } };
  let job = (await (await request(bench, '/api/patients/import', upload)).json()) as Import;
  while (job.status !== 'done') {
    await sleep(200);
    job = (await (await request(bench, `/api/patients/imports/${job.id}`)).json()) as Import;
    bar.to(job.created + job.updated + job.skipped + job.error_count);
  }
  bar.end();
  return `${job.created} created, ${job.updated} changed, ${job.skipped} as they were, ${job.error_count} refused`;
}

async function exportPatients(bench: Bench): Promise<string> {
  const { body } = await request(bench, '/api/patients/export');
  let [bytes, lines] = [0, 0];
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    for (const byte of chunk) if (byte === 10) lines++;
  }
  return `${(bytes / 1e6).toFixed(1)} MB, ${lines} lines`;
}

/** The plan for the system role, which the product uses here: with row-level security LIKE would not use its index. */
async function planOf(ownerUrl: string, search: string): Promise<string> {
  const parsed = parsePatientSearch(search) as Exclude<PatientSearch, { kind: 'none' }>;
  const { statement, values } = patientSearchQuery(clinicId(0), parsed, [], { archived: false, limit: 50, offset: 0 });
  return withClient(
    databaseUrls(ownerUrl, 'scheduling').DATABASE_SYSTEM_URL,
    async (client) => {
      const { rows } = await client.query({ text: `explain (analyze, costs off) ${statement.text}`, values });
      return rows.map((row) => `  ${row['QUERY PLAN']}`).join('\n');
    },
    { options: '-c search_path=scheduling' },
  );
}

/** A file as clinics import them: every patient has phone, DUI, birthday, address and a note. */
function fileOf(patients: number): string {
  const lines = ['nombre,telefono,dui,correo,nacimiento,direccion,notas'];
  const pick = (names: string[], n: number) => names[n % names.length] ?? '';
  for (let n = 0; n < patients; n++) {
    const name = `${pick(FIRST, n * 7)} ${pick(FIRST, n * 5 + 3)} ${pick(LAST, n * 3)} ${pick(OTHER, Math.floor(n / 11))}`;
    const birthday = `${1 + (n % 28)}/${1 + (n % 12)}/${1950 + (n % 60)}`;
    const digits = String(10_000_000 + n);
    const dui = `${digits}-${duiCheckDigit(digits)}`;
    lines.push(`${name},+5037${String(n).padStart(7, '0')},${dui},p${n}@example.com,${birthday},"Colonia ${pick(OTHER, n)}, calle ${n % 300}",nota ${n}`);
  }
  return lines.join('\n');
}
