// A running dental service for tests, with stand-ins for scheduling and identity that return the patients a test has created.
import { randomUUID } from 'node:crypto';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { clinicOf, implement } from '@clinic/lib/rpc/pipeline.ts';
import { manualClock } from '@clinic/lib/runtime/clock.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { asUser } from '@clinic/lib/testing/callers.ts';
import { testService } from '@clinic/lib/testing/service.ts';
import { ChartService } from '@clinic/proto/dental/v1/chart_pb.js';
import { PeriodonticsService } from '@clinic/proto/dental/v1/periodontics_pb.js';
import { RecallService } from '@clinic/proto/dental/v1/recall_pb.js';
import type { AppointmentStateSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { ClinicProfileService } from '@clinic/proto/identity/v1/profile_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { createClient } from '@connectrpc/connect';
import type { App } from '../app.ts';
import dental from '../service.ts';

/** A Monday, 08:00 in San Salvador. */
export const MONDAY = new Date('2026-06-01T14:00:00Z');

/** Without scheduled jobs, which would run between the steps of a test; tests call them. */
const withoutSchedules: typeof dental = {
  ...dental,
  async create(start) {
    const parts = await dental.create(start);
    return { ...parts, jobs: parts.jobs.filter(({ options }) => options.cron === undefined) };
  },
};

export type Known = { id: string; clinicId: string; fullName: string; phone: string; birthDate?: string; recallOptedOut: boolean; isArchived: boolean };

export async function startCharting() {
  const clock = manualClock(MONDAY);
  const patients = new Map<string, Known>();
  /** The appointments that a rebuild of the projection reads. */
  const appointmentStates: { appointments: MessageInitShape<typeof AppointmentStateSchema>[]; clinicIds: string[] } = { appointments: [], clinicIds: [] };
  const log = createLog('test', 'silent');
  const toFound = (patient: Known) => ({ ...patient, reachablePhone: patient.phone });
  const own = (clinicId: string, id: string) => {
    const patient = patients.get(id);
    return patient?.clinicId === clinicId ? patient : undefined;
  };
  const lookup = implement({ log, constraints: {} }, LookupService, {
    findPatient: async (_app, { id }, call) => toFound(found(own(clinicOf(call).id, id), 'Patient')),
    findPatients: async (_app, { ids }, call) => ({ patients: ids.flatMap((id) => own(clinicOf(call).id, id) ?? []).map(toFound) }),
    findAppointment: async () => fail('NOT_FOUND', 'Appointment not found'),
    findPatientByPhone: async () => ({}),
    listUpcomingAppointments: async () => ({ appointments: [] }),
    setRecallOptOut: async (_app, { id }, call) => {
      const patient = found(own(clinicOf(call).id, id), 'Patient');
      patient.recallOptedOut = true;
      return { id, clinicId: patient.clinicId, fullName: patient.fullName, recallOptedOut: true };
    },
    listPatientStates: async (_app, { afterId }) => {
      const known = afterId ? [] : [...patients.values()];
      const states = known.map(({ id, recallOptedOut, isArchived }) => ({ patientId: id, recallOptedOut, isArchived, hasPhone: true, revision: 1 }));
      return { patients: states, clinicIds: known.map(({ clinicId }) => clinicId) };
    },
    listAppointmentStates: async (_app, { afterId }) => (afterId ? {} : appointmentStates),
  });
  const profile = implement({ log, constraints: {} }, ClinicProfileService, {
    getClinicProfile: async (_app, _request, call) => ({ clinicId: clinicOf(call).id, name: 'Clínica Sonrisas' }),
  });
  const dependencies = { scheduling: localTransport([lookup]), identity: localTransport([profile]) };
  const service = await testService(withoutSchedules, { clock, dependencies });
  /** For tests that call jobs and consumers. */
  const app: App = {
    db: service.db,
    clock,
    log,
    constraints: {},
    keys: [],
    lookup: createClient(LookupService, dependencies.scheduling),
    clinicProfile: createClient(ClinicProfileService, dependencies.identity),
  };

  let phones = 70_000_000;
  /** A patient of the clinic, known to scheduling only. */
  function patient(clinicId: string, given: Partial<Known> = {}): Known {
    const made = { id: randomUUID(), clinicId, fullName: 'Luis Pérez', phone: `+503${++phones}`, recallOptedOut: false, isArchived: false, ...given };
    patients.set(made.id, made);
    return made;
  }
  return {
    service,
    app,
    clock,
    patient,
    appointmentStates,
    charts: service.client(ChartService),
    periodontics: service.client(PeriodonticsService),
    recall: service.client(RecallService),
    asUser,
  };
}

export type Charting = Awaited<ReturnType<typeof startCharting>>;
