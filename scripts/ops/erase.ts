// Data-subject requests: erases what identifies a patient, or a clinic, in every service.
import { setTimeout as sleep } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import { ServiceError } from '@clinic/lib/errors/errors.ts';
import { systemClock } from '@clinic/lib/runtime/clock.ts';
import { UpdateClinicRequestSchema } from '@clinic/proto/identity/v1/clinic_pb.js';
import { EndClinicSessionsRequestSchema } from '@clinic/proto/identity/v1/clinic_sessions_pb.js';
import { updateClinic } from '../../services/identity/clinics/update-clinic.ts';
import { endClinicSessions } from '../../services/identity/sessions/end-clinic-sessions.ts';
import { type Command, callOf, type Given, type Ops, OpsFault } from './command.ts';
import { eraseSubject, findPatient, uuidOption } from './subjects.ts';

const HOW = `Look with --dry-run first: it says how many rows of which tables would be erased, and which are kept and why. It may be
stopped and run again at any time, and a second time finds nothing. Backups still hold what is erased: keep no backup longer than you
promise, and erase again after a restore.`;

const OPTIONS = { clinic: { type: 'string' }, 'dry-run': { type: 'boolean' }, yes: { type: 'boolean' } } as const;
const FLAGS = `  --dry-run          only counts
  --yes              erases: without it nothing is done`;

const MOST_ROUNDS = 5;
const PAUSE_MS = 1_000;

/** Scheduling is last: as long as it knows phone and names, an interrupted request can be made again. */
const OF_PATIENT = ['messaging', 'dental', 'billing', 'identity', 'platform', 'scheduling'];
/** Identity is last: as long as it knows the clinic, an operator finds it. */
const OF_CLINIC = ['messaging', 'dental', 'billing', 'scheduling', 'platform', 'identity'];

export const erasePatient: Command = {
  name: 'erase-patient',
  summary: 'erases what identifies a patient, in every service',
  usage: `--clinic <uuid> --patient <uuid> (--dry-run | --yes)

Chats, charts, treatment plans, quotes and waitlist entries are deleted, the record loses name, phone, national id and everything else
that is somebody's. Kept, as nobody's: visits and sums. Tax documents are kept for ten years, as the law demands, and stay sealed.
Visits that are still to come are cancelled by the clinic first. Records that were merged into the patient's are erased with it.

${HOW}

  --clinic <uuid>    the clinic
  --patient <uuid>   the patient
${FLAGS}`,
  options: { ...OPTIONS, patient: { type: 'string' } },
  async run(ops, given) {
    const [clinicId, patientId] = [uuidOption(given, 'clinic'), uuidOption(given, 'patient')];
    const dryRun = isDryRun(given);
    const { subject, upcoming, dependants } = await findPatient(ops, clinicId, patientId);
    if (upcoming > 0) throw new OpsFault(`The patient has ${upcoming} appointments to come: have the clinic cancel them first.`);
    if (dependants > 0) ops.say(`${dependants} dependants keep their records, and lose the phone by which they were reached.`);
    return erasing(ops, dryRun, { action: 'patient.erased', entityId: patientId, clinicId }, async () => {
      const erased = await eraseSubject(ops, subject, dryRun, OF_PATIENT);
      // What the patient wrote meanwhile.
      return dryRun ? erased : erased + (await eraseSubject(ops, subject, dryRun, ['messaging']));
    });
  },
};

export const eraseClinic: Command = {
  name: 'erase-clinic',
  summary: 'erases a clinic with its people and patients, in every service',
  usage: `--clinic <uuid> (--dry-run | --yes)

The clinic is suspended and its sessions end; then everything that is its own is deleted, service by service, in short transactions.
Kept: tax documents, for ten years as the law demands, sealed; sums of what it paid; the audit log, which names nobody but by id.
Export it first (export-clinic): this cannot be taken back.

${HOW}

  --clinic <uuid>    the clinic
${FLAGS}`,
  options: OPTIONS,
  async run(ops, given) {
    const clinicId = uuidOption(given, 'clinic');
    const dryRun = isDryRun(given);
    return erasing(ops, dryRun, { action: 'clinic.erased', entityId: clinicId, clinicId }, async () => {
      if (dryRun) return eraseSubject(ops, { clinicId }, dryRun, OF_CLINIC);
      await shut(ops, clinicId);
      const kept = new Set<string>();
      let all = 0;
      // Events that were on their way bring something back, such as the suspension itself.
      for (let erased = -1, rounds = 0; erased !== 0 && rounds < MOST_ROUNDS; rounds++) {
        if (rounds > 0) await sleep(PAUSE_MS);
        erased = await eraseSubject(ops, { clinicId }, dryRun, OF_CLINIC, kept);
        all += erased;
      }
      return all;
    });
  },
};

function isDryRun({ values }: Given): boolean {
  if (values['dry-run'] === true) return true;
  if (values.yes !== true) throw new OpsFault('Look with --dry-run first; then say --yes. What is erased cannot be brought back.');
  return false;
}

async function erasing(ops: Ops, dryRun: boolean, line: Parameters<Ops['record']>[0], work: () => Promise<number>): Promise<number> {
  if (!dryRun) await ops.record({ ...line, changes: { state: 'begun' } });
  const erased = await work();
  if (!dryRun) await ops.record({ ...line, changes: { state: 'done', rows: erased } });
  ops.say(dryRun ? `${erased} rows would be erased` : erased === 0 ? 'nothing was left to erase' : `${erased} rows erased`);
  return 0;
}

/** Nobody comes in any more. A clinic that identity has erased already is shut. */
async function shut(ops: Ops, clinicId: string): Promise<void> {
  const app = { db: ops.open('identity'), clock: systemClock };
  try {
    await updateClinic(app, create(UpdateClinicRequestSchema, { clinicId, isActive: false }), callOf(ops));
    await endClinicSessions(app, create(EndClinicSessionsRequestSchema, { clinicId }), callOf(ops));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.reason !== 'NOT_FOUND') throw error;
  }
}
