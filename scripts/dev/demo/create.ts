// Creates the demo clinic at the first start, and more for `npm run seed`, through the public RPCs of the services in both topologies.
import { randomBytes, randomUUID } from 'node:crypto';
import { type Caller, type CallerClinic, serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { isReason } from '@clinic/lib/rpc/reasons.ts';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { ClinicService } from '@clinic/proto/identity/v1/clinic_pb.js';
import { type Session, SessionService } from '@clinic/proto/identity/v1/session_pb.js';
import { InviteCodeService } from '@clinic/proto/platform/v1/invite_codes_pb.js';
import { AppointmentService } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { type Doctor, DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { PatientService } from '@clinic/proto/scheduling/v1/patient_pb.js';
import { type CallOptions, createClient, type Transport } from '@connectrpc/connect';
import { DateTime } from 'luxon';
import { anonymous } from './admin.ts';
import { APPOINTMENT_NOTES, CLINIC, DOCTORS, PATIENTS } from './clinic.ts';
import { type Demo, type StoredDemo, storedDemo, writeDemo } from './file.ts';

type Options = { transport: (service: string) => Transport; dataDir: string; password: string | undefined; print: (line: string) => void };

const DAYS = 7;
const today = () => DateTime.now().setZone(CLINIC.timezone);

/**
 * Creates the demo clinic unless it exists, and returns its sign-in. `demo.json` in the data folder records the progress: an interrupted
 * creation is resumed, a complete one is never repeated. Does nothing when clinics exist but the file does not. Without `password` a
 * random one is generated. In the result, `done` is whether an earlier start had completed the clinic.
 */
export async function seedDemo(options: Options): Promise<StoredDemo | undefined> {
  if (!storedDemo(options.dataDir)) {
    const { clinics } = await createClient(ClinicService, options.transport('identity')).listClinics({}, operator());
    if (clinics.length > 0) return undefined;
  }
  return seedClinic(options, CLINIC);
}

/** Creates a demo clinic whose progress is recorded in `dataDir`. */
export async function seedClinic({ transport, dataDir, password, print }: Options, clinic: typeof CLINIC): Promise<StoredDemo> {
  let stored = storedDemo(dataDir);
  if (stored?.done) return stored;
  if (!stored) {
    stored = {
      email: clinic.email,
      password: password ?? randomBytes(12).toString('base64url'),
      done: false,
      history: { today: today().toISODate() ?? '', done: [], begun: {} },
    };
    writeDemo(dataDir, stored);
  }
  const session = await signIn(transport, clinic, stored);
  const call = await adminOf(transport, session);
  const doctors = await addDoctors(transport, call);
  await addPatients(transport, call);
  const booked = await bookAppointments(transport, call, doctors);
  writeDemo(dataDir, { ...stored, done: true });
  print(`seeded ${clinic.clinicName}: ${doctors.length} doctors, ${PATIENTS.length} patients, ${booked} appointments`);
  return stored;
}

const operator = (): CallOptions => callAs({ kind: 'operator', id: 'seed', requestId: randomUUID(), ip: '127.0.0.1', role: '' });

/** Signs in; registers the clinic with a new invite code unless an interrupted start has done so already. */
async function signIn(transport: Options['transport'], clinic: typeof CLINIC, { email, password }: Demo): Promise<Session> {
  const sessions = createClient(SessionService, transport('identity'));
  try {
    return await sessions.login({ email, password }, anonymous());
  } catch (error) {
    if (!isReason(error, 'INVALID_CREDENTIALS')) throw error;
  }
  const invite = await createClient(InviteCodeService, transport('platform')).createInviteCode(
    { email, plan: 'clinica', expiresInDays: 3650, notes: 'Demo clinic' },
    operator(),
  );
  return sessions.registerClinic({ ...clinic, email, password, inviteCode: invite.code }, anonymous());
}

type Call = (key?: string) => CallOptions;

/** Call options for the clinic's admin, with the plan and zone that the access check returns. */
async function adminOf(transport: Options['transport'], session: Session): Promise<Call> {
  const { id: userId = '', clinicId = '' } = session.user ?? {};
  const access = await createClient(AccessService, transport('identity')).resolveAccess({ userId, clinicId }, callAs(serviceCaller('gateway', randomUUID())));
  const { plan, timezone, country, doctorLimit } = access;
  const clinic: CallerClinic = { id: clinicId, plan, timezone, country, ...(doctorLimit !== undefined && { doctorLimit }) };
  const caller: Caller = { kind: 'user', id: userId, requestId: randomUUID(), ip: '127.0.0.1', clinic, role: access.appRole };
  return (key) => callAs(caller, key);
}

async function addDoctors(transport: Options['transport'], call: Call): Promise<Doctor[]> {
  const service = createClient(DoctorService, transport('scheduling'));
  const { doctors } = await service.listDoctors({ page: 1, limit: 500 }, call());
  const known = new Map(doctors.map((doctor) => [doctor.fullName, doctor]));
  return Promise.all(DOCTORS.map((doctor) => known.get(doctor.fullName) ?? service.createDoctor(doctor, call())));
}

async function addPatients(transport: Options['transport'], call: Call): Promise<void> {
  const service = createClient(PatientService, transport('scheduling'));
  await Promise.all(
    PATIENTS.map((patient) =>
      service.createPatient(patient, call()).catch((error) => {
        if (!isReason(error, 'PHONE_TAKEN')) throw error;
      }),
    ),
  );
}

/** Books about a third of the slots of the next week, always the same ones. Returns the number of appointments. */
async function bookAppointments(transport: Options['transport'], call: Call, doctors: Doctor[]): Promise<number> {
  const service = createClient(DoctorService, transport('scheduling'));
  const appointments = createClient(AppointmentService, transport('scheduling'));
  const first = today();
  let turn = 0;
  for (let day = 0; day < DAYS; day++) {
    const date = first.plus({ days: day }).toISODate() ?? '';
    for (const doctor of doctors) {
      const { slots } = await service.listSlots({ doctorId: doctor.id, date }, call());
      for (const slot of slots.filter((_, index) => index % 3 === day % 3)) {
        const patient = PATIENTS[turn % PATIENTS.length];
        const notes = APPOINTMENT_NOTES[turn % APPOINTMENT_NOTES.length];
        turn++;
        if (!patient) continue;
        const request = { doctorId: doctor.id, appointmentDate: date, startTime: slot.startTime, patientName: patient.fullName, patientPhone: patient.phone };
        await appointments.bookAppointment({ ...request, ...(notes ? { notes } : {}) }, call(`demo-${date}-${slot.startTime}-${doctor.id}`)).catch((error) => {
          if (!isReason(error, 'SLOT_TAKEN') && !isReason(error, 'SLOT_UNAVAILABLE')) throw error;
        });
      }
    }
  }
  const booked = await appointments.listAppointments({ start: first.toISODate() ?? '', page: 1, limit: 1 }, call());
  return booked.total;
}
