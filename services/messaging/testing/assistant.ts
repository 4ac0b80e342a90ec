// A running messaging service with fakes of the services that the assistant calls, and optionally of the model.
import { randomUUID } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Clock } from '@clinic/lib/clock/clock.ts';
import { testService } from '@clinic/lib/testing/service.ts';
import { PaymentPlanService } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import { RecallService } from '@clinic/proto/dental/v1/recall_pb.js';
import { TreatmentPlanService } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { AssistantService } from '@clinic/proto/messaging/v1/assistant_pb.js';
import { AgendaService } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import { AnalyticsService } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import { AppointmentService } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { CommissionService } from '@clinic/proto/scheduling/v1/commission_pb.js';
import { DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { PatientService } from '@clinic/proto/scheduling/v1/patient_pb.js';
import { WaitlistService } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import messaging from '../service.ts';
import { startFakeModel } from './fake-model.ts';
import { connectOwner } from './owner.ts';
import { type Answers, CLINIC, standIn } from './stand-ins.ts';

/** Saturday, 11:17 in San Salvador. */
export const NOW = new Date('2026-11-21T17:17:00Z');
export const TODAY = '2026-11-21';
export const FEATURES = ['assistant', 'daily_agenda', 'analytics', 'dental'];

const totals = (appointments: { status: string }[], cancelled = 0) => {
  const of = (status: string) => appointments.filter((appointment) => appointment.status === status).length;
  // plain-words: visits is public
  return { visits: appointments.length, confirmed: of('confirmed'), pending: of('pending'), completed: of('completed'), noShow: of('no_show'), cancelled };
};

export const rivas = { id: randomUUID(), fullName: 'Dra. Elena Rivas', specialty: 'Ortodoncia' };
export const maria = { id: randomUUID(), fullName: 'María López Hernández', phone: '+50370001111' };
export const luis = { id: randomUUID(), fullName: 'Luis Pérez', phone: '+50370002222' };
export const agendaAppointment = (patient: typeof maria, startTime: string, status = 'confirmed', notes?: string) => ({
  id: randomUUID(),
  startTime: `${startTime}:00`,
  endTime: `${startTime.slice(0, 3)}${startTime.endsWith('30') ? '59' : '30'}:00`,
  status,
  source: 'manual',
  patients: patient,
  notes,
});
type AgendaAppointment = ReturnType<typeof agendaAppointment>;

/** The agenda of a day with one doctor. */
export const agendaOf = (date: string, appointments: AgendaAppointment[], { cancelled = 0, gaps = [] as object[], onVacation = false } = {}) => ({
  date,
  doctors: [
    {
      doctorId: rivas.id,
      fullName: rivas.fullName,
      specialty: rivas.specialty,
      onVacation,
      visits: appointments, // plain-words: visits is public
      gaps,
      totals: totals(appointments, cancelled),
    },
  ],
  totals: totals(appointments, cancelled),
});

/** Starts the service without a model, unless the settings contain one. */
export async function startAssistant({ settings = {}, clock = { now: () => NOW } }: { settings?: Record<string, string>; clock?: Clock } = {}) {
  const usual: Answers = {
    resolveClinic: ({ clinicId }) => ({
      ...CLINIC,
      clinicId,
      plan: 'pro',
      features: FEATURES,
      subscriptionExpiresAt: timestampFromDate(new Date('2027-06-01T00:00:00Z')),
    }),
    getAgenda: ({ date }) => agendaOf(date ?? TODAY, []),
    listWaitlist: () => ({ entries: [], total: 0 }),
    listPaymentPlans: () => ({ plans: [], total: 0 }),
    listRecallCampaigns: () => ({ campaigns: [] }),
    listDoctors: () => ({ doctors: [rivas], total: 1 }),
    listPatients: () => ({ patients: [], total: 0 }),
    findPatients: ({ ids }: { ids: string[] }) => ({ patients: [maria, luis].filter(({ id }) => ids.includes(id)) }),
  };
  const answers: Answers = { ...usual };
  const service = await testService(messaging, {
    dependencies: {
      identity: standIn(answers, AccessService),
      scheduling: standIn(
        answers,
        AgendaService,
        AnalyticsService,
        AppointmentService,
        CommissionService,
        DoctorService,
        LookupService,
        PatientService,
        WaitlistService,
      ),
      dental: standIn(answers, PaymentPlanService, RecallService, TreatmentPlanService),
      platform: standIn(answers),
    },
    settings,
    clock,
  });
  const { look, disconnect } = connectOwner(service);
  return {
    service,
    assistant: service.client(AssistantService),
    answers,
    /** Restores the initial responses of other services. */
    reset() {
      for (const name of Object.keys(answers)) delete answers[name];
      Object.assign(answers, usual);
    },
    look,
    async stop() {
      await disconnect();
      await service.stop();
    },
  };
}

export type Assistant = Awaited<ReturnType<typeof startAssistant>>;

/** Starts the service with a fake model. */
export async function startWithModel(settings: Record<string, string> = {}) {
  const model = await startFakeModel();
  const started = await startAssistant({
    settings: { ASSISTANT_BASE_URL: model.url, ASSISTANT_API_KEY: 'key-of-the-tests', ASSISTANT_MODEL: 'test', ASSISTANT_TIMEOUT_SECONDS: '9', ...settings },
  });
  return {
    ...started,
    model,
    async stop() {
      await started.stop();
      await model.stop();
    },
  };
}
