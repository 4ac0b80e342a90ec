// Files of patients: stored unchanged and encrypted, within the quota of the plan, checked for viruses, and really deleted.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { encryptionKeyRing } from '@clinic/lib/config/config.ts';
import { openObjectStore } from '@clinic/lib/objects/objects.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { asAnonymous, asOperator } from '@clinic/lib/testing/callers.ts';
import { testKeys } from '@clinic/lib/testing/settings.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { DataSubjectService } from '@clinic/proto/common/v1/data_subject_pb.js';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { ClinicProfileService } from '@clinic/proto/identity/v1/profile_pb.js';
import { FormService } from '@clinic/proto/scheduling/v1/form_pb.js';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { PatientFileService } from '@clinic/proto/scheduling/v1/patient_file_pb.js';
import type { Client } from '@connectrpc/connect';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import sharp from 'sharp';
import { outcomes, type Scheduling, startScheduling } from '../testing/clinic.ts';
import { fakeOf } from '../testing/fake-of.ts';
import { deleteFilesJob } from './file-jobs.ts';
import { storeFile } from './store-file.ts';

const CHUNK = 64 * 1024;
const MALWARE = Buffer.from('X5O!-a-test-virus');

/** Speaks INSTREAM as clamd does; `answer` replaces its verdict. */
const clamd = { port: 0, server: createServer(), answer: undefined as string | undefined, checked: 0 };
function startClamd(): Promise<void> {
  clamd.server = createServer((socket) => {
    let received = Buffer.alloc(0);
    socket
      .on('error', () => {})
      .on('data', (data) => {
        received = Buffer.concat([received, data]);
        if (!received.subarray(-4).equals(Buffer.alloc(4))) return;
        let content = Buffer.alloc(0);
        for (let at = 'zINSTREAM\0'.length; at < received.length - 4; ) {
          const length = received.readUInt32BE(at);
          content = Buffer.concat([content, received.subarray(at + 4, at + 4 + length)]);
          at += 4 + length;
        }
        clamd.checked = content.length;
        socket.end(clamd.answer ?? (content.includes(MALWARE) ? 'stream: Test.Virus FOUND\0' : 'stream: OK\0'));
      });
  });
  return new Promise((resolve) =>
    clamd.server.listen(clamd.port, '127.0.0.1', () => {
      clamd.port = (clamd.server.address() as AddressInfo).port;
      resolve();
    }),
  );
}

const log = createLog('test', 'silent');
const identity = localTransport([
  fakeOf(ClinicProfileService, { getClinicProfile: async () => ({ name: 'Clínica Sonrisas' }) }),
  fakeOf(AccessService, { resolveClinic: async () => ({ name: 'Clínica Sonrisas', isActive: true }) }),
]);
const pdf = (size: number) => Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(size - 9)]);

let s: Scheduling;
let files: Client<typeof PatientFileService>;
let owner: pg.Client;
let folder: string;
let jobs: {
  db: Scheduling['service']['db'];
  clock: Scheduling['clock'];
  keys: ReturnType<typeof encryptionKeyRing.parse>;
  files: ReturnType<typeof openObjectStore>;
  log: typeof log;
};
let id: string;
let patientId: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'files-'));
  await startClamd();
  s = await startScheduling({ identity }, { DATA_DIR: folder, CLAMAV_ADDRESS: `127.0.0.1:${clamd.port}` });
  files = s.service.client(PatientFileService);
  jobs = { db: s.service.db, clock: s.clock, keys: encryptionKeyRing.parse(testKeys), files: openObjectStore({ DATA_DIR: folder, S3_REGION: '' }, log), log };
  owner = new pg.Client({ connectionString: s.service.database.ownerUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await s.service.stop();
  clamd.server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  id = randomUUID();
  patientId = (await addPatient()).id;
});

const addPatient = () => s.patients.createPatient({ fullName: 'Ana Paz', phone: s.phone() }, s.asUser(id));

async function send(content: Buffer, details: { name?: string; kind?: string; description?: string } = {}, options = s.asUser(id)) {
  const begun = await files.beginPatientFile({ patientId, ...details }, options);
  const chunks = Math.ceil(content.length / CHUNK);
  for (let seq = 0; seq < chunks; seq++)
    await files.appendPatientFile({ id: begun.id, seq, content: content.subarray(seq * CHUNK, (seq + 1) * CHUNK) }, options);
  return { id: begun.id, chunks };
}
const upload = async (content: Buffer, details = {}, options = s.asUser(id)) => files.finishPatientFile(await send(content, details, options), options);
async function download(fileId: string, options = s.asUser(id)): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const { content } of files.downloadPatientFile({ patientId, id: fileId }, options)) parts.push(content);
  return Buffer.concat(parts);
}
async function downloadedName(fileId: string): Promise<string | undefined> {
  for await (const { head } of files.downloadPatientFile({ patientId, id: fileId }, s.asUser(id))) if (head) return head.filename;
}
const list = async (filter = {}) => (await files.listPatientFiles({ patientId, ...filter }, s.asUser(id))).files.map(({ name }) => name);
const stored = (clinicId = id) => {
  try {
    return readdirSync(path.join(folder, 'files', clinicId));
  } catch {
    return [];
  }
};
const count = async (table: string) => (await owner.query(`select count(*)::int as n from scheduling.${table} where clinic_id = $1`, [id])).rows[0].n;

describe('a file', () => {
  // A file may be valid as two types: a PNG that ends with a page, or a DICOM file whose preamble is that of a program.
  test.each([
    ['informe.pdf', 'informe.pdf'],
    ['INFORME.PDF', 'INFORME.PDF'],
    ['informe.html', 'informe.html.pdf'],
    ['informe.pdf.exe', 'informe.pdf.exe.pdf'],
    ['informe.pdf.', 'informe.pdf..pdf'],
    ['informe', 'informe.pdf'],
  ])('%s is downloaded with the extension of its content, as %s', async (name, downloaded) => {
    const uploaded = await upload(pdf(100), { name });
    expect([uploaded.name, await downloadedName(uploaded.id)]).toEqual([name, downloaded]);
  });

  test('is returned unchanged; its type is detected from the content, and images get a thumbnail', async () => {
    const taken = sharp({ create: { width: 2_000, height: 1_000, channels: 3, background: '#445566' } }).withExif({ IFD0: { Artist: 'Secret Artist' } });
    const photo = await taken.jpeg().toBuffer();
    const uploaded = await upload(photo, { name: 'C:\\fotos\\sonrisa.exe', description: 'Antes' });
    expect(uploaded).toMatchObject({
      name: 'sonrisa.exe',
      kind: 'photo',
      contentType: 'image/jpeg',
      size: BigInt(photo.length),
      patientId,
    });
    expect((await download(uploaded.id)).equals(photo)).toBe(true);
    const { rows } = await owner.query(`select entity_id, changes from scheduling.audit_log where clinic_id = $1 and action = 'patient_file.downloaded'`, [id]);
    expect(rows).toEqual([{ entity_id: uploaded.id, changes: { patient_id: patientId } }]);
    expect(await files.getStorageUsage({}, s.asUser(id))).toMatchObject({ bytes: BigInt(photo.length) });
    const { thumbnailUrl } = await waitFor(async () => {
      const file = await files.getPatientFile({ patientId, id: uploaded.id }, s.asUser(id));
      return file.thumbnailUrl ? file : false;
    });
    expect(thumbnailUrl).toBe(`/api/patients/${patientId}/files/${uploaded.id}/thumbnail`);
    const thumbnail = await files.getPatientFileThumbnail({ patientId, id: uploaded.id }, s.asUser(id));
    expect(await sharp(thumbnail.content).metadata()).toMatchObject({ format: 'webp', width: 512, height: 256 });
    expect(Buffer.from(thumbnail.content).includes('Secret Artist')).toBe(false);
  });

  test.each([1, CHUNK - 9, CHUNK, CHUNK + 1, 3 * CHUNK + 5])(
    'of %d bytes more than its signature is stored encrypted, and nothing of it stays in the database',
    async (more) => {
      const content = pdf(more + 9);
      const uploaded = await upload(content, { name: 'carta.pdf' });
      expect([uploaded.kind, uploaded.contentType]).toEqual(['document', 'application/pdf']);
      expect((await download(uploaded.id)).equals(content)).toBe(true);
      const onDisk = readFileSync(path.join(folder, 'files', id, uploaded.id));
      expect(onDisk.includes('%PDF')).toBe(false);
      expect(await count('patient_file_chunks')).toBe(0);
      expect(clamd.checked).toBe(content.length);
    },
  );

  test('is not returned as if it were whole when its stored content was changed, truncated or removed', async () => {
    const { id: fileId } = await upload(pdf(2 * CHUNK));
    const file = path.join(folder, 'files', id, fileId);
    const content = readFileSync(file);
    for (const broken of [Buffer.concat([content.subarray(0, 70_000), Buffer.from([1]), content.subarray(70_001)]), content.subarray(0, CHUNK + 16)]) {
      writeFileSync(file, broken);
      await expect(download(fileId)).rejects.toMatchObject({ reason: 'INTERNAL' });
    }
    rmSync(file);
    await expect(download(fileId)).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  });

  test('of another type is refused and leaves nothing', async () => {
    for (const content of ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'MZ\x90', '<html>', 'GIF89a'])
      await expect(upload(Buffer.from(content), { name: 'foto.jpg' })).rejects.toMatchObject({ reason: 'UNSUPPORTED_MEDIA_TYPE' });
    expect([await list(), await count('patient_files'), stored()]).toEqual([[], 0, []]);
    const dicom = Buffer.concat([Buffer.alloc(128), Buffer.from('DICM'), randomBytes(50)]);
    expect(await upload(dicom)).toMatchObject({ kind: 'xray', contentType: 'application/dicom', name: 'archivo' });
  });

  test('is not found by another clinic or under another patient', async () => {
    const uploaded = await upload(pdf(100));
    const other = s.asAdmin(randomUUID());
    const missing = { reason: 'NOT_FOUND', message: 'File not found' };
    await expect(files.getPatientFile({ patientId, id: uploaded.id }, other)).rejects.toMatchObject(missing);
    await expect(download(uploaded.id, other)).rejects.toMatchObject(missing);
    await expect(files.deletePatientFile({ patientId, id: uploaded.id }, other)).rejects.toMatchObject(missing);
    await expect(files.getPatientFile({ patientId: (await addPatient()).id, id: uploaded.id }, s.asUser(id))).rejects.toMatchObject(missing);
    await expect(files.finishPatientFile({ id: (await send(pdf(100))).id, chunks: 1 }, other)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });

  test('sent again with its Idempotency-Key is one file; the key with another content is refused', async () => {
    const content = pdf(100);
    const options = s.asUser(id, { key: 'scan-1' });
    const [first, again] = [await upload(content, {}, options), await upload(content, {}, options)];
    expect(again.id).toBe(first.id);
    await expect(upload(pdf(100), {}, options)).rejects.toMatchObject({ reason: 'IDEMPOTENCY_KEY_REUSED' });
    expect(await count('patient_files')).toBe(1);
  });

  test('is found by kind, words and day, on pages', async () => {
    await upload(pdf(50), { name: 'Consentimiento.pdf', description: 'Ortodoncia' });
    await upload(pdf(50), { name: 'panorámica.pdf', kind: 'xray' });
    expect(await list()).toEqual(['panorámica.pdf', 'Consentimiento.pdf']);
    expect(await list({ kind: 'xray' })).toEqual(['panorámica.pdf']);
    expect(await list({ search: 'ortodon' })).toEqual(['Consentimiento.pdf']);
    for (const search of ['PANORAMICA', 'panorámica'.normalize('NFD')]) expect(await list({ search })).toEqual(['panorámica.pdf']);
    expect(await list({ from: '2026-06-02' })).toEqual([]);
    expect(await list({ from: '2026-06-01', to: '2026-06-01', limit: 1, page: 2 })).toEqual(['Consentimiento.pdf']);
    for (const filter of [{ kind: 'video' }, { from: 'mañana' }]) await expect(list(filter)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR' });
  });

  test('follows its patient when records are merged', async () => {
    await upload(pdf(50), { name: 'uno.pdf' });
    const [mergeId, keepId] = [patientId, (await addPatient()).id];
    await s.service.client(PatientFamilyService).mergePatients({ keepId, mergeId }, s.asAdmin(id));
    patientId = keepId;
    expect(await files.listPatientFiles({ patientId }, s.asUser(id))).toMatchObject({ files: [{ name: 'uno.pdf', patientId: keepId }], total: 1 });
  });

  test('is renamed and described; each field alone', async () => {
    const { id: fileId } = await upload(pdf(50), { name: 'uno.pdf', description: 'Antes' });
    const change = (fields: object) => files.updatePatientFile({ patientId, id: fileId, ...fields }, s.asUser(id));
    expect(await change({ name: 'dos.pdf' })).toMatchObject({ name: 'dos.pdf', description: 'Antes', kind: 'document' });
    expect(await change({ kind: 'xray' })).toMatchObject({ name: 'dos.pdf', kind: 'xray' });
    expect((await change({ description: '' })).description).toBe(undefined);
    await expect(change({ name: '../' })).rejects.toMatchObject({ details: [{ path: 'name' }] });
    const entries = () => s.audited(id, 'patient_file.updated');
    const before = await entries();
    expect(await change({ name: 'dos.pdf', kind: 'xray', description: '' })).toMatchObject({ name: 'dos.pdf', kind: 'xray' });
    expect(await entries()).toEqual(before);
  });
});

test('the PDF of a signed form has the whole title as its name, and is not deleted', async () => {
  const forms = s.service.client(FormService);
  const fields = [{ kind: 'signature', label: 'Firma' }];
  const template = await forms.createFormTemplate({ title: 'Consentimiento de extracción / cirugía', fields }, s.asAdmin(id));
  const form = await forms.createForm({ patientId, templateId: template.id }, s.asUser(id));
  await forms.signForm({ token: form.link?.split('/').at(-1) ?? '', signerName: 'Ana Paz', answers: [{ field: 0, value: 'typed' }] }, asAnonymous());
  const [file] = await waitFor(async () => {
    const { files: found } = await files.listPatientFiles({ patientId }, s.asUser(id));
    return found.length > 0 && found;
  });
  expect(file?.name).toBe('Consentimiento de extracción - cirugía.pdf');
  await expect(files.deletePatientFile({ patientId, id: file?.id ?? '' }, s.asAdmin(id))).rejects.toMatchObject({ reason: 'FORM_SIGNED' });
  expect(await forms.getForm({ patientId, id: form.id }, s.asUser(id))).toMatchObject({ fileId: file?.id });
  expect(await list()).toHaveLength(1);
});

describe('what is deleted', () => {
  test('is gone at once, its content with the next job, also after an erasure', async () => {
    const [first, second] = [await upload(pdf(50)), await upload(pdf(50))];
    expect(stored().sort()).toEqual([first.id, second.id].sort());
    await expect(files.deletePatientFile({ patientId, id: first.id }, s.asUser(id))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
    await files.deletePatientFile({ patientId, id: first.id }, s.asAdmin(id));
    await expect(download(first.id)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    const subjects = s.service.client(DataSubjectService);
    await subjects.eraseRecords({ subject: { clinicId: id, patientIds: [patientId] }, dryRun: false }, asOperator());
    await expect(download(second.id)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await deleteFilesJob(jobs).work({});
    expect([stored(), await count('deleted_files')]).toEqual([[], 0]);
  });

  test('is deleted although the content of another file cannot be; the job fails', async () => {
    const [first, second] = [await upload(pdf(50)), await upload(pdf(50))];
    for (const { id: fileId } of [first, second]) await files.deletePatientFile({ patientId, id: fileId }, s.asAdmin(id));
    const failing = (key: string) => (key.endsWith(first.id) ? Promise.reject(new Error('locked')) : jobs.files.delete(key));
    await expect(deleteFilesJob({ ...jobs, files: { ...jobs.files, delete: failing } }).work({})).rejects.toThrow('1 deleted file');
    expect([stored(), await count('deleted_files')]).toEqual([[first.id], 1]);
    await deleteFilesJob(jobs).work({});
    expect([stored(), await count('deleted_files')]).toEqual([[], 0]);
  });

  test('includes uploads that were never finished, after an hour', async () => {
    const { id: fileId } = await send(pdf(3 * CHUNK));
    await owner.query('update scheduling.patient_files set reserved_at = now(), size = 5 where id = $1', [fileId]); // as after a kill while it was being stored
    writeFileSync(path.join(folder, 'files', `${fileId}`), '');
    expect(await list()).toEqual([]);
    await deleteFilesJob(jobs).work({});
    expect(await count('patient_files')).toBe(1);
    s.clock.advance(3_601_000);
    await deleteFilesJob(jobs).work({});
    expect([await count('patient_files'), await count('patient_file_chunks')]).toEqual([0, 0]);
  });
});

describe('the quota of the plan', () => {
  const basic = () => s.asUser(id, { clinic: { plan: 'basic' } });
  const fill = (bytes: number) =>
    owner.query(
      `insert into scheduling.patient_files (clinic_id, id, patient_id, name, size, key_sealed, created_at, reserved_at) values ($1, gen_random_uuid(), $2, 'x', $3, '', $4, now())`,
      [id, patientId, bytes, s.clock.now()],
    );

  test('accepts exactly as many files as fit, also when they arrive concurrently', async () => {
    await fill(1_000_000_000 - 2_500);
    const sent = await Promise.all(Array.from({ length: 4 }, () => send(pdf(1_000), {}, basic())));
    expect(await outcomes(sent.map((one) => files.finishPatientFile(one, basic())))).toEqual({ answered: 2, reasons: ['STORAGE_QUOTA_REACHED'], refused: 2 });
    expect([(await list()).length, stored().length]).toEqual([2, 2]);
    await upload(pdf(500), {}, basic());
    await expect(files.beginPatientFile({ patientId }, basic())).rejects.toMatchObject({ reason: 'STORAGE_QUOTA_REACHED' });
    await upload(pdf(1_000), {}, s.asUser(id, { clinic: { plan: 'pro' } }));
  });

  test('does not refuse a file that is sent again with its Idempotency-Key', async () => {
    await fill(1_000_000_000 - 1_500);
    const content = pdf(1_000);
    const options = s.asUser(id, { key: 'scan-2', clinic: { plan: 'basic' } });
    const [first, again] = [await upload(content, {}, options), await upload(content, {}, options)];
    expect(again.id).toBe(first.id);
    for (const caller of [basic(), s.asUser(id, { key: 'scan-3', clinic: { plan: 'basic' } })])
      await expect(upload(content, {}, caller)).rejects.toMatchObject({ reason: 'STORAGE_QUOTA_REACHED' });
    expect([(await list()).length, stored(), await count('patient_file_chunks')]).toEqual([1, [first.id], 0]);
  });
});

describe('the virus scanner', () => {
  test('refuses malware wherever it is in the file, and nothing is stored', async () => {
    const infected = Buffer.concat([pdf(CHUNK - 5), MALWARE, randomBytes(100)]);
    await expect(upload(infected)).rejects.toMatchObject({ reason: 'MALWARE_FOUND', message: 'The file contains malware: Test.Virus' });
    expect(await count('patient_files')).toBe(0);
    await deleteFilesJob(jobs).work({});
    expect(stored()).toEqual([]);
  });

  test.each(['INSTREAM size limit exceeded. ERROR\0', '', 'stream: OK FOUND\0', 'stream: OK\nstream: OK'])(
    'that answers %j has checked nothing: the file is refused',
    async (answer) => {
      clamd.answer = answer;
      try {
        await expect(upload(pdf(50))).rejects.toMatchObject({ reason: expect.stringMatching(/UNAVAILABLE|MALWARE_FOUND/) });
        expect(await count('patient_files')).toBe(0);
      } finally {
        clamd.answer = undefined;
      }
    },
  );

  test('that is unavailable makes uploads fail', async () => {
    await new Promise((resolve) => clamd.server.close(resolve));
    try {
      await expect(upload(pdf(50))).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    } finally {
      await startClamd();
    }
  });
});

test('a generated document is stored together with the link to it, or not at all', async () => {
  const document = { patientId, name: 'consentimiento.pdf', kind: 'document', contentType: 'application/pdf', content: pdf(CHUNK + 50) } as const;
  const caller = serviceCaller('scheduling', 'request');
  let linked: string | undefined;
  const fileId = await storeFile(jobs, caller, id, document, async (_tx, stored) => {
    linked = stored;
  });
  expect(linked).toBe(fileId);
  expect((await download(fileId)).equals(document.content)).toBe(true);
  const link = () => Promise.reject(new Error('no'));
  await expect(storeFile(jobs, caller, id, document, link)).rejects.toThrow('no');
  expect(await list()).toEqual(['consentimiento.pdf']);
});
