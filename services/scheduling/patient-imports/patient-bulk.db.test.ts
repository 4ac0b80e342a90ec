// Import and export of patients: no row is lost or applied twice, even after crashes and with concurrent changes.
import { randomUUID } from 'node:crypto';
import { RETRY_AFTER } from '@clinic/lib/errors/errors.ts';
import { MAX_IMPORT_BYTES } from '@clinic/lib/formats/upload-limits.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { PatientBulkService } from '@clinic/proto/scheduling/v1/patient_bulk_pb.js';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import type { Client } from '@connectrpc/connect';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { MONDAY, type Scheduling, startScheduling } from '../testing/clinic.ts';
import { deleteOldImportsJob } from './run-import.ts';

const CHUNK = 256 * 1024;

let s: Scheduling;
let bulk: Client<typeof PatientBulkService>;
let owner: pg.Client;
let id: string;
beforeAll(async () => {
  s = await startScheduling();
  bulk = s.service.client(PatientBulkService);
  owner = new pg.Client({ connectionString: s.service.database.ownerUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await s.service.stop();
});
beforeEach(() => {
  id = randomUUID();
});

async function upload(text: string | Buffer, dryRun = false) {
  const bytes = Buffer.from(text);
  const begun = await bulk.beginPatientImport({ dryRun }, s.asUser(id));
  const chunks = Math.ceil(bytes.length / CHUNK);
  for (let seq = 0; seq < chunks; seq++)
    await bulk.appendPatientImport({ id: begun.id, seq, content: bytes.subarray(seq * CHUNK, (seq + 1) * CHUNK) }, s.asUser(id));
  return { id: begun.id, chunks };
}
async function bring(text: string | Buffer, dryRun = false) {
  const done = await bulk.finishPatientImport(await upload(text, dryRun), s.asUser(id));
  if (done.status === 'done') return done;
  return waitFor(async () => {
    const job = await bulk.getPatientImport({ id: done.id }, s.asUser(id));
    return job.status === 'done' ? job : false;
  });
}
/** The ids of the stored imports of the clinic. */
const stored = async () =>
  (await owner.query('select id from scheduling.patient_imports where clinic_id = $1 order by id', [id])).rows.map((one: { id: string }) => one.id);
const counts = ({ created, updated, skipped, errorCount }: { created: number; updated: number; skipped: number; errorCount: number }) => [
  created,
  updated,
  skipped,
  errorCount,
];
async function takeOut(admin = false): Promise<string> {
  const parts: Uint8Array[] = [];
  for (let cursor = ''; ; ) {
    const page = await bulk.exportPatients({ cursor }, admin ? s.asAdmin(id) : s.asUser(id));
    parts.push(page.content);
    if (!page.nextCursor) return Buffer.concat(parts).toString('utf8');
    cursor = page.nextCursor;
  }
}
const all = async () => (await s.patients.listPatients({ limit: 500 }, s.asUser(id))).patients;
/** The number of patients in published events of a type. */
const publishedPatients = async (name: string) => {
  const counted = `select coalesce(sum(coalesce(jsonb_array_length(payload -> 'patients'), 1)), 0)::int as n from scheduling.outbox where clinic_id = $1 and subject like $2`;
  return (await owner.query(counted, [id, `%.${name}`])).rows[0].n;
};
const many = (count: number, first = 0) =>
  ['nombre,telefono,dui', ...Array.from({ length: count }, (_, index) => `Paciente ${first + index},+5037${String(first + index).padStart(7, '0')},`)].join(
    '\n',
  );

describe('an import', () => {
  test('names the columns that it ignores, also later', async () => {
    const done = await bring('Nombre;Teléfono;Fecha nac.;Celular;;"Saldo ""2024"""\nAna Paz;7000-0001;1/2/1990;7000-0002;x;5', true);
    expect(done.ignoredColumns).toEqual(['Fecha nac.', 'Celular', 'Saldo "2024"']);
    expect(await bulk.getPatientImport({ id: done.id }, s.asUser(id))).toEqual(done);
    expect((await bring('nombre,telefono\nAna Paz,7000-0001')).ignoredColumns).toEqual([]);
  });

  test('adds, changes and skips patients, and returns the errors of other rows', async () => {
    await s.patients.createPatient({ fullName: 'Ana Paz', phone: '+50370000001', email: 'ana@example.com' }, s.asUser(id));
    const file = [
      '\uFEFFNombre;Teléfono;DUI;Correo;Fecha de nacimiento;Género;Notas',
      'Ana Paz de León;7000-0001;;;1/2/1990;F;',
      'José Núñez;+50370000002;00016297-5;jose@example.com;1985-03-04;masculino;"dice ""hola""; y\nsigue"',
      ';;;;;;',
      'Sin teléfono;;;;;;',
      'Malo;123;1;no;31/02/1990;q;',
      '"sin cerrar;+50370000009;;;;;',
      'Luis;+50370000003;;;;;',
      'Luisa;+503 7000 0003;;;;;',
    ].join('\r\n');
    const first = await bring(file);
    expect(counts(first)).toEqual([2, 1, 0, 8]);
    expect(first).toMatchObject({ status: 'done', rows: 8, progress: 100, dryRun: false });
    expect(first.errors.map(({ row, column }) => [row, column])).toEqual([
      [5, 'Teléfono'],
      [6, 'Teléfono'],
      [6, 'DUI'],
      [6, 'Correo'],
      [6, 'Fecha de nacimiento'],
      [6, 'Género'],
      [7, ''],
      [9, 'Teléfono'],
    ]);
    const [ana, jose, luis] = await all();
    expect(ana).toMatchObject({ fullName: 'Ana Paz de León', email: 'ana@example.com', birthDate: '1990-02-01', gender: 'female' });
    expect(jose).toMatchObject({ fullName: 'José Núñez', dui: '******97-5', birthDate: '1985-03-04', gender: 'male', notes: 'dice "hola"; y\nsigue' });
    expect(luis).toMatchObject({ fullName: 'Luis', phone: '+50370000003' });
    expect((await s.patients.listPatients({ search: '000162975' }, s.asUser(id))).total).toBe(1);

    const before = await all();
    expect(counts(await bring(file))).toEqual([0, 0, 3, 8]);
    expect(await all()).toEqual(before);
    expect([await publishedPatients('patient-created'), await publishedPatients('patients-changed')]).toEqual([1, 3]);
  });

  test('as a dry run returns the same result and changes nothing', async () => {
    const file = 'nombre,telefono,telefono_responsable\nMadre,+50370000001,\nHija,,+50370000001\nOtra,,+50370000002\n';
    expect(counts(await bring(file, true))).toEqual([2, 0, 0, 1]);
    expect(await all()).toEqual([]);
    expect(await publishedPatients('patients-changed')).toBe(0);
    expect(counts(await bring(file))).toEqual([2, 0, 0, 1]);
    expect(counts(await bring(file))).toEqual([0, 0, 2, 1]);
    expect(counts(await bring(file, true))).toEqual([0, 0, 2, 1]);
    const [child, mother] = await all();
    expect(child).toMatchObject({ fullName: 'Hija', guardianId: mother?.id, recallOptedOut: false });
    await s.service.client(LookupService).setRecallOptOut({ id: mother?.id ?? '' }, s.asUser(id));
    await bring('nombre,telefono,telefono_responsable\nHijo,,+50370000001\n');
    expect((await all()).map(({ fullName, recallOptedOut }) => [fullName, recallOptedOut])).toEqual([
      ['Hija', false],
      ['Hijo', true],
      ['Madre', true],
    ]);
  });

  test('restores archived patients and does not change merged records', async () => {
    const family = s.service.client(PatientFamilyService);
    const [a, b, c] = await Promise.all(
      ['+50370000001', '+50370000002', '+50370000003'].map((phone) => s.patients.createPatient({ fullName: 'Ana', phone }, s.asUser(id))),
    );
    await family.archivePatient({ id: a?.id ?? '' }, s.asAdmin(id));
    await family.mergePatients({ keepId: b?.id ?? '', mergeId: c?.id ?? '' }, s.asAdmin(id));
    const done = await bring('name,phone\nAna,+50370000001\nAna,+50370000002\nAna,+50370000003\n');
    expect([counts(done), done.errors]).toMatchObject([[0, 1, 1, 1], [{ row: 4 }]]);
    expect((await all()).map((one) => one.id).sort()).toEqual([a?.id, b?.id].sort());
  });

  test('adds a dependant once whose guardian is named by the phone of a merged record', async () => {
    const family = s.service.client(PatientFamilyService);
    const [keep, merged] = await Promise.all(
      ['+50370000001', '+50370000002'].map((phone) => s.patients.createPatient({ fullName: 'Ana', phone }, s.asUser(id))),
    );
    await family.mergePatients({ keepId: keep?.id ?? '', mergeId: merged?.id ?? '' }, s.asAdmin(id));
    const dependant = 'nombre,telefono,telefono_responsable\nLuz,,+50370000002\n';
    expect([counts(await bring(dependant)), counts(await bring(dependant))]).toEqual([
      [1, 0, 0, 0],
      [0, 0, 1, 0],
    ]);
    expect((await bring(`${dependant}LUZ,,7000 0002\n`)).errors).toMatchObject([
      { row: 3, column: 'telefono_responsable', message: 'is in row 2 already, with the same name' },
    ]);
    expect((await family.listDependants({ id: keep?.id ?? '' }, s.asUser(id))).dependants).toHaveLength(1);
  });

  test.each([
    ['UTF-16 LE', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['UTF-16 BE', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
    ['UTF-8 with a byte order mark', (text: string) => Buffer.from(`\uFEFF${text}`)],
  ])('reads %s', async (_name, encode) => {
    const phone = s.phone();
    const done = await bring(encode(`nombre\tteléfono\r\nÑandú Pérez ${'x'.repeat(100)}\t${phone}\r\n`));
    expect([done.created, done.errors]).toEqual([1, []]);
    const { patients } = await s.patients.listPatients({ search: phone, page: 1, limit: 10 }, s.asUser(id));
    expect(patients[0]?.fullName).toMatch(/^Ñandú Pérez x+$/);
  });

  test('refuses a file without the required columns as a whole', async () => {
    for (const text of ['a,b\n1,2', 'nombre\nAna', Buffer.from('\xff\xfen\0o\0', 'latin1'), '\n\n', '"nombre,telefono\nAna,7'])
      await expect(bring(text)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path: 'body' }] });
    for (const content of [Buffer.from('nombre,telefono,dirección\nAna,+50370000009,\n', 'latin1'), Buffer.from('PK\x03\x04\x14\0\x06\0nombre,telefono')])
      await expect(bring(content)).rejects.toMatchObject({ details: [{ path: 'body', message: expect.stringContaining('CSV UTF-8') }] });
    const incomplete = await upload('nombre,telefono\n');
    await expect(bulk.finishPatientImport({ ...incomplete, chunks: 2 }, s.asUser(id))).rejects.toMatchObject({ details: [{ path: 'chunks' }] });
    expect(await stored()).toEqual([]);
    const file = await upload('nombre,telefono\n');
    await expect(bulk.getPatientImport({ id: file.id }, s.asUser(id))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    expect(counts(await bulk.finishPatientImport(file, s.asUser(id)))).toEqual([0, 0, 0, 0]);
    await expect(bulk.appendPatientImport({ id: file.id, seq: 1, content: Buffer.from('x') }, s.asUser(id))).rejects.toMatchObject({ reason: 'CONFLICT' });
    await expect(bulk.getPatientImport({ id: file.id }, s.asUser(randomUUID()))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });

  test('that is broken off is deleted after an hour, and too many bytes of such imports refuse another', async () => {
    const [first, running] = [await upload('nombre,telefono\nAna,'), await upload('nombre,telefono\n')];
    await bulk.finishPatientImport(running, s.asUser(id));
    await owner.query('update scheduling.patient_imports set bytes = $2 where id = $1', [first.id, 10 * MAX_IMPORT_BYTES - 1]);
    const second = await upload('nombre,telefono\n');
    await expect(upload('x')).rejects.toMatchObject({ reason: 'RATE_LIMITED', details: [{ path: RETRY_AFTER, message: '3600' }] });
    const [begun, other] = [s.clock.now().getTime(), id];
    id = randomUUID();
    expect(await upload('x')).toMatchObject({ chunks: 1 });
    id = other;
    const deleteOld = deleteOldImportsJob({ db: s.service.db, clock: s.clock });
    try {
      s.clock.set(new Date(begun + 3_600_000));
      await deleteOld.work({});
      expect(await stored()).toEqual([first.id, running.id, second.id]);
      s.clock.set(new Date(begun + 3_600_001));
      await deleteOld.work({});
      expect([deleteOld.options.cron, await stored()]).toEqual(['37 * * * *', [running.id]]);
    } finally {
      s.clock.set(MONDAY);
    }
  });

  test('encrypts chunks, deletes the file afterwards, and publishes no personal data', async () => {
    const file = await upload('nombre,telefono\nFilomena,+50370000001\nX,Filomena\n');
    const { rows } = await owner.query('select encode(content_sealed, $1) as text from scheduling.patient_import_chunks where clinic_id = $2', ['escape', id]);
    expect(rows[0].text).not.toMatch(/Filomena|RmlsbG9tZW5h/);
    await bulk.finishPatientImport(file, s.asUser(id));
    const written = await owner.query(
      `select payload::text as text from scheduling.outbox where clinic_id = $1 union all select changes::text from scheduling.audit_log where clinic_id = $1
       union all select data::text from scheduling_jobs.job where data ->> 'clinicId' = $1::text
       union all select f::text from scheduling.patient_import_faults f where clinic_id = $1
       union all select c.seq::text || 'Filomena' from scheduling.patient_import_chunks c where clinic_id = $1`,
      [id],
    );
    expect(written.rows.length).toBeGreaterThan(3);
    expect(written.rows.map((row: { text: string }) => row.text).join()).not.toMatch(/Filomena|\+50370000001/);
  });
});

describe('interruptions and concurrency', () => {
  test('after a crash the job continues without repeating rows', async () => {
    await owner.query(`create function stumble() returns trigger language plpgsql as $$ begin
      if (select count(*) from scheduling.patients where clinic_id = new.clinic_id) >= 500 and new.full_name = 'Paciente 1000' then raise exception 'crash'; end if;
      return new; end $$`);
    await owner.query('create trigger stumble before insert on scheduling.patients for each row execute function stumble()');
    const file = await upload(many(2_000));
    const stopped = await bulk.finishPatientImport(file, s.asUser(id));
    expect(stopped).toMatchObject({ status: 'running', rows: 1_000, created: 1_000 });
    await owner.query('drop trigger stumble on scheduling.patients');
    await owner.query('drop function stumble');
    // The job of a small file starts after ten seconds, so it is run directly.
    await owner.query(`update scheduling_jobs.job set start_after = now() where data ->> 'importId' = $1`, [file.id]);
    const done = await waitFor(async () => {
      const job = await bulk.getPatientImport({ id: file.id }, s.asUser(id));
      return job.status === 'done' ? job : false;
    });
    expect([done.rows, ...counts(done)]).toEqual([2_000, 2_000, 0, 0, 0]);
    expect(await publishedPatients('patients-changed')).toBe(2_000);
    expect((await s.patients.listPatients({}, s.asUser(id))).total).toBe(2_000);
    expect(counts(await bring(many(2_000)))).toEqual([0, 0, 2_000, 0]);
  });

  test('concurrent imports and bookings leave one patient per phone', async () => {
    const file = many(1_500);
    const people = Array.from({ length: 20 }, (_, index) =>
      s.patients
        .createPatient({ fullName: `Paciente ${index * 70}`, phone: `+5037${String(index * 70).padStart(7, '0')}` }, s.asUser(id))
        .catch(() => undefined),
    );
    const [imports] = await Promise.all([Promise.all([bring(file), bring(file), bring(many(1_500))]), ...people]);
    expect((await s.patients.listPatients({}, s.asUser(id))).total).toBe(1_500);
    for (const done of imports) expect(done.created + done.updated + done.skipped).toBe(1_500);
    expect(await publishedPatients('patients-changed')).toBe(imports.reduce((sum, done) => sum + done.created + done.updated, 0));
  });
});

describe('an export', () => {
  test('can be imported again without changes, and contains no formulas', async () => {
    const mother = await s.patients.createPatient(
      { fullName: '=HYPERLINK("x")', phone: '+50370000001', dui: '00016297-5', notes: '@SUM(A1), "b"\nc' },
      s.asUser(id),
    );
    await s.service.client(PatientFamilyService).createDependant({ id: mother.id, fullName: '-Luz', birthDate: '2019-01-02', gender: 'female' }, s.asUser(id));
    for (const admin of [true, false]) {
      const text = await takeOut(admin);
      expect(text.startsWith('\uFEFF"full_name","phone","guardian_phone","dui",')).toBe(true);
      expect(text).toContain(`"'=HYPERLINK(""x"")","'+50370000001",,"${admin ? '00016297-5' : '******97-5'}",`);
      expect(text).toContain(`"'-Luz",,"'+50370000001",`);
      const before = await all();
      expect(counts(await bring(text))).toEqual([0, 0, 2, 0]);
      expect(await all()).toEqual(before);
    }
    const { rows } = await owner.query(
      `select changes ->> 'dui' as dui from scheduling.audit_log where clinic_id = $1 and action = 'patients.exported' order by id`,
      [id],
    );
    expect(rows).toEqual([{ dui: 'whole' }, { dui: 'masked' }]);
  });

  test('has every active patient of the clinic once', async () => {
    await bring(many(2_500));
    const [one] = await all();
    await s.service.client(PatientFamilyService).archivePatient({ id: one?.id ?? '' }, s.asAdmin(id));
    const lines = (await takeOut()).trimEnd().split('\r\n');
    expect([lines.length, new Set(lines).size]).toEqual([2_500, 2_500]);
    const other = id;
    id = randomUUID();
    expect((await takeOut()).trimEnd().split('\r\n')).toHaveLength(1);
    expect(other).not.toBe(id);
  });

  test('of errors returns all of them in pages', async () => {
    const done = await bring(['nombre,telefono', ...Array.from({ length: 6_000 }, () => 'x,y')].join('\n'));
    expect([done.errorCount, done.errors.length]).toEqual([6_000, 100]);
    const first = await bulk.exportPatientImportErrors({ id: done.id }, s.asUser(id));
    const second = await bulk.exportPatientImportErrors({ id: done.id, cursor: first.nextCursor }, s.asUser(id));
    const lines = Buffer.concat([first.content, second.content]).toString().trimEnd().split('\r\n');
    expect([lines.length, lines[0], second.nextCursor]).toEqual([6_001, '\uFEFF"row","column","message"', '']);
    expect(lines[6_000]).toMatch(/^"6001","telefono",/);
  });
});
