// Data-subject requests: hands out everything that is kept of a patient or of a clinic, sealed values opened.
import { closeSync, openSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';
import { type Command, type Given, type Ops, OpsFault } from './command.ts';
import { exportSubject, findPatient, type Subject, uuidOption } from './subjects.ts';

const FILE = `Writes one JSON object a line: the service, the table and its columns, national ids and signatures in clear, bytes as base64.
The file is for your user only; hand it over by a safe way and delete it. Each service notes it in the clinic's audit log.`;

const TO = '  --to <file>        a file of lines; it gets its name when it is whole';

export const exportPatient: Command = {
  name: 'export-patient',
  summary: 'writes all that is kept of a patient into a file',
  usage: `--clinic <uuid> --patient <uuid> --to <file>

${FILE} Records that were merged into the patient's are included.

  --clinic <uuid>    the clinic
  --patient <uuid>   the patient
${TO}`,
  options: { clinic: { type: 'string' }, patient: { type: 'string' }, to: { type: 'string' } },
  async run(ops, given) {
    const [clinicId, patientId] = [uuidOption(given, 'clinic'), uuidOption(given, 'patient')];
    const { subject } = await findPatient(ops, clinicId, patientId);
    return exportInto(ops, given, subject, { action: 'patient.exported', entityId: patientId, clinicId });
  },
};

export const exportClinic: Command = {
  name: 'export-clinic',
  summary: 'writes all that is kept of a clinic into a file',
  usage: `--clinic <uuid> --to <file>

${FILE} Passwords and tokens are left out.

  --clinic <uuid>    the clinic
${TO}`,
  options: { clinic: { type: 'string' }, to: { type: 'string' } },
  run(ops, given) {
    const clinicId = uuidOption(given, 'clinic');
    return exportInto(ops, given, { clinicId }, { action: 'clinic.exported', entityId: clinicId, clinicId });
  },
};

async function exportInto(ops: Ops, { values }: Given, subject: Subject, line: Parameters<Ops['record']>[0]): Promise<number> {
  if (typeof values.to !== 'string') throw new OpsFault('Say where to write with --to <file>.');
  const file = path.resolve(values.to);
  await ops.record({ ...line, changes: { state: 'begun' } });
  const out = openSync(`${file}.partial`, 'w', 0o600);
  let count: number;
  try {
    count = await exportSubject(ops, subject, (service, record) => writeSync(out, `${JSON.stringify({ service, ...JSON.parse(record) })}\n`));
  } finally {
    closeSync(out);
  }
  renameSync(`${file}.partial`, file);
  await ops.record({ ...line, changes: { state: 'done', records: count } });
  ops.say(`${count} records in ${file}`);
  return 0;
}
