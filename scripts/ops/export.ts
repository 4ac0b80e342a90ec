// `ops export-patient` and `ops export-clinic`: data-subject requests. Exports everything that is stored about a patient or a clinic, decrypted.
import { appendFileSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { counted } from '@clinic/lib/formats/counted.ts';
import type pg from 'pg';
import { tryLock, withClient } from '../database.ts';
import { type Arguments, type Command, type Ops, OpsFault, ownerConnection } from './command.ts';
import { requireOutliving } from './container.ts';
import { exportFiles } from './export-files.ts';
import { exportSubject, findPatient, PHONES_OPTION, PHONES_USAGE, requireClinic, type Subject, uuidOption, withFormerPhones } from './subjects.ts';

const FILE = `Writes one JSON object per line: the service, the table and its columns, with national ids and signatures decrypted and bytes as base64.
Patients' files are written, as they were uploaded, into the folder <file>.files. Only your user can read the export: transfer it over a secure
channel, then delete it. Each service records the export in the clinic's audit log.`;

const TO = '  --to <file>        a file that does not exist yet; it is named <file>.partial until it is complete';

export const exportPatient: Command = {
  usage: `--clinic <uuid> --patient <uuid> [--phones <phones>] --to <file>

${FILE} Records that were merged into the patient's record are included.

  --clinic <uuid>    the clinic
  --patient <uuid>   the patient
${PHONES_USAGE}
${TO}`,
  options: { clinic: { type: 'string' }, patient: { type: 'string' }, ...PHONES_OPTION, to: { type: 'string' } },
  async run(ops, args) {
    const [clinicId, patientId] = [uuidOption(args, 'clinic'), uuidOption(args, 'patient')];
    const { subject } = await withFormerPhones(ops, (await findPatient(ops, clinicId, patientId)).subject, args);
    return exportInto(ops, args, subject, { action: 'patient.exported', entityId: patientId, clinicId });
  },
};

export const exportClinic: Command = {
  usage: `--clinic <uuid> --to <file>

${FILE} Passwords and tokens are left out.

  --clinic <uuid>    the clinic
${TO}`,
  options: { clinic: { type: 'string' }, to: { type: 'string' } },
  async run(ops, args) {
    const clinicId = uuidOption(args, 'clinic');
    await requireClinic(ops, clinicId, 'refused');
    return exportInto(ops, args, { clinicId }, { action: 'clinic.exported', entityId: clinicId, clinicId });
  },
};

/** Two exports into one file would mix their records. */
async function exportInto(ops: Ops, { values }: Arguments, subject: Subject, line: Parameters<Ops['record']>[0]): Promise<number> {
  if (typeof values.to !== 'string') throw new OpsFault('Set --to to the file to write.');
  const file = path.resolve(values.to);
  requireOutliving(file);
  const lockAndWrite = async (client: pg.Client) => {
    if (!(await tryLock(client, `export ${file}`))) throw new OpsFault(`Another export is being written into ${file}: choose another file.`);
    return writeExport(ops, file, subject, line);
  };
  return withClient(ops.url, lockAndWrite, ownerConnection('clinic-export'));
}

async function writeExport(ops: Ops, file: string, subject: Subject, line: Parameters<Ops['record']>[0]): Promise<number> {
  if (existsSync(file)) throw new OpsFault(`${file} already exists: choose a new file.`);
  for (const interrupted of [`${file}.partial`, `${file}.files`]) rmSync(interrupted, { recursive: true, force: true });
  await ops.record({ ...line, changes: { state: 'begun' } });
  const out = openSync(`${file}.partial`, 'w', 0o600);
  let count: number;
  try {
    count = await exportSubject(ops, subject, (service, record) => appendFileSync(out, `${JSON.stringify({ service, ...JSON.parse(record) })}\n`));
    fsyncSync(out);
  } finally {
    closeSync(out);
  }
  const files = await exportFiles(ops, subject, `${file}.files`);
  renameSync(`${file}.partial`, file);
  await ops.record({ ...line, changes: { state: 'done', records: count } });
  ops.print(`${counted(count, 'record')} in ${file}${files > 0 ? `, ${counted(files, 'file')} in ${file}.files` : ''}`);
  return 0;
}
