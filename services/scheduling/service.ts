// Scheduling: doctors, patients and appointments. The only wiring.
import path from 'node:path';
import { dataSubjectRpc } from '@clinic/lib/data-subject.ts';
import { implement } from '@clinic/lib/rpc/pipeline.ts';
import type { ServiceModule } from '@clinic/lib/service.ts';
import { PriceService } from '@clinic/proto/dental/v1/price_pb.js';
import { StateService } from '@clinic/proto/dental/v1/states_pb.js';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { ClinicProfileService } from '@clinic/proto/identity/v1/profile_pb.js';
import { UserService } from '@clinic/proto/identity/v1/user_pb.js';
import { MailService } from '@clinic/proto/messaging/v1/mail_pb.js';
import { AgendaService } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import { AnalyticsService } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import { AppointmentService } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { CalendarService } from '@clinic/proto/scheduling/v1/calendar_pb.js';
import { CheckInService } from '@clinic/proto/scheduling/v1/check_in_pb.js';
import { CommissionService } from '@clinic/proto/scheduling/v1/commission_pb.js';
import { SubjectService } from '@clinic/proto/scheduling/v1/data_subject_pb.js';
import { DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { PatientBulkService } from '@clinic/proto/scheduling/v1/patient_bulk_pb.js';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { PatientService } from '@clinic/proto/scheduling/v1/patient_pb.js';
import { DoctorPhotoService } from '@clinic/proto/scheduling/v1/photo_pb.js';
import { SlotDraftService } from '@clinic/proto/scheduling/v1/slot_draft_pb.js';
import { WaitlistService } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import { createClient } from '@connectrpc/connect';
import type { App } from './app.ts';
import { onAppointmentBookedAnalytics } from './consumers/on-appointment-booked-analytics.ts';
import { onAppointmentReassignedAnalytics } from './consumers/on-appointment-reassigned-analytics.ts';
import { onAppointmentRescheduledAnalytics } from './consumers/on-appointment-rescheduled-analytics.ts';
import { onAppointmentStatusChangedAnalytics } from './consumers/on-appointment-status-changed-analytics.ts';
import { onClinicRegistered } from './consumers/on-clinic-registered.ts';
import { onClinicRegisteredAnalytics } from './consumers/on-clinic-registered-analytics.ts';
import { onClinicUpdated } from './consumers/on-clinic-updated.ts';
import { onClinicUpdatedAnalytics } from './consumers/on-clinic-updated-analytics.ts';
import { onPaymentPlanUpdatedAnalytics } from './consumers/on-payment-plan-updated-analytics.ts';
import { onPaymentRecorded } from './consumers/on-payment-recorded.ts';
import { onPaymentVoided } from './consumers/on-payment-voided.ts';
import { onTaxDocumentChangedAnalytics } from './consumers/on-tax-document-changed-analytics.ts';
import { onTreatmentPlanUpdatedAnalytics } from './consumers/on-treatment-plan-updated-analytics.ts';
import { acceptOffer } from './handlers/accept-offer.ts';
import { appendPatientImport } from './handlers/append-patient-import.ts';
import { archivePatient } from './handlers/archive-patient.ts';
import { beginPatientImport } from './handlers/begin-patient-import.ts';
import { bookAppointment } from './handlers/book-appointment.ts';
import { checkIn } from './handlers/check-in.ts';
import { countChatBookings } from './handlers/count-chat-bookings.ts';
import { createDependant } from './handlers/create-dependant.ts';
import { createDoctor } from './handlers/create-doctor.ts';
import { createPatient } from './handlers/create-patient.ts';
import { createSlotDraft } from './handlers/create-slot-draft.ts';
import { createVacation } from './handlers/create-vacation.ts';
import { deactivateDoctor } from './handlers/deactivate-doctor.ts';
import { declineOffer } from './handlers/decline-offer.ts';
import { deleteSlotDraft } from './handlers/delete-slot-draft.ts';
import { deleteVacation } from './handlers/delete-vacation.ts';
import { drawDashboard } from './handlers/draw-dashboard.ts';
import { exportPatientImportErrors } from './handlers/export-patient-import-errors.ts';
import { exportPatients } from './handlers/export-patients.ts';
import { findAppointment } from './handlers/find-appointment.ts';
import { findPatient } from './handlers/find-patient.ts';
import { findPatients } from './handlers/find-patients.ts';
import { findSubject } from './handlers/find-subject.ts';
import { finishPatientImport } from './handlers/finish-patient-import.ts';
import { getAgenda } from './handlers/get-agenda.ts';
import { getAgendaSubscription } from './handlers/get-agenda-subscription.ts';
import { getAppointment } from './handlers/get-appointment.ts';
import { getCalendarFeed } from './handlers/get-calendar-feed.ts';
import { getCheckIn } from './handlers/get-check-in.ts';
import { getCheckInCode } from './handlers/get-check-in-code.ts';
import { getCommissionReport } from './handlers/get-commission-report.ts';
import { getCommissionRule } from './handlers/get-commission-rule.ts';
import { getDashboard } from './handlers/get-dashboard.ts';
import { getDoctor } from './handlers/get-doctor.ts';
import { getDoctorPhoto } from './handlers/get-doctor-photo.ts';
import { getFeedUrls } from './handlers/get-feed-urls.ts';
import { getPatient } from './handlers/get-patient.ts';
import { getPatientImport } from './handlers/get-patient-import.ts';
import { getPeakHours } from './handlers/get-peak-hours.ts';
import { joinWaitlist } from './handlers/join-waitlist.ts';
import { leaveWaitlist } from './handlers/leave-waitlist.ts';
import { listAppointmentStates } from './handlers/list-appointment-states.ts';
import { listAppointments } from './handlers/list-appointments.ts';
import { listAvailability } from './handlers/list-availability.ts';
import { listCommissions } from './handlers/list-commissions.ts';
import { listDependants } from './handlers/list-dependants.ts';
import { listDoctors } from './handlers/list-doctors.ts';
import { listFigureRecords } from './handlers/list-figure-records.ts';
import { listMerges } from './handlers/list-merges.ts';
import { listPatientStates } from './handlers/list-patient-states.ts';
import { listPatients } from './handlers/list-patients.ts';
import { listSlots } from './handlers/list-slots.ts';
import { listUpcomingAppointments } from './handlers/list-upcoming-appointments.ts';
import { listVacations } from './handlers/list-vacations.ts';
import { listWaitlist } from './handlers/list-waitlist.ts';
import { mergePatients } from './handlers/merge-patients.ts';
import { openCalendar } from './handlers/open-calendar.ts';
import { previewMerge } from './handlers/preview-merge.ts';
import { printDashboard } from './handlers/print-dashboard.ts';
import { regenerateFeedUrls } from './handlers/regenerate-feed-urls.ts';
import { removeDoctorPhoto } from './handlers/remove-doctor-photo.ts';
import { rescheduleAppointment } from './handlers/reschedule-appointment.ts';
import { restorePatient } from './handlers/restore-patient.ts';
import { setAgendaSubscription } from './handlers/set-agenda-subscription.ts';
import { setCommissionRule } from './handlers/set-commission-rule.ts';
import { setDoctorPhoto } from './handlers/set-doctor-photo.ts';
import { setRecallOptOut } from './handlers/set-recall-opt-out.ts';
import { undoMerge } from './handlers/undo-merge.ts';
import { updateAppointmentStatus } from './handlers/update-appointment-status.ts';
import { updateDoctor } from './handlers/update-doctor.ts';
import { updatePatient } from './handlers/update-patient.ts';
import { deleteExpiredDraftsJob } from './jobs/delete-expired-drafts.ts';
import { expireOfferJob, sweepWaitlistJob } from './jobs/expire-offers.ts';
import { deleteOldImportsJob, importPatientsJob } from './jobs/import-patients.ts';
import { mailAgendaJob, markAgendasJob } from './jobs/mail-agendas.ts';
import personal from './personal.ts';
import { schedulingSettings } from './settings.ts';

export default {
  name: 'scheduling',
  migrations: path.join(import.meta.dirname, 'migrations'),
  settings: schedulingSettings,
  neighbours: ['identity', 'messaging', 'dental'],
  personal,
  create({ settings, db, clock, log, neighbour }) {
    const constraints = {
      appointments_no_overlap: 'SLOT_TAKEN',
      appointments_idempotency_key_unique: 'IDEMPOTENCY_KEY_REUSED',
      patients_phone_unique: 'PHONE_TAKEN',
    } as const;
    const app: App = {
      db,
      clock,
      log,
      constraints,
      keys: settings.ENCRYPTION_KEYS,
      publicUrl: settings.PUBLIC_URL,
      access: createClient(AccessService, neighbour('identity')),
      users: createClient(UserService, neighbour('identity')),
      profile: createClient(ClinicProfileService, neighbour('identity')),
      mail: createClient(MailService, neighbour('messaging')),
      plans: createClient(StateService, neighbour('dental')),
      prices: createClient(PriceService, neighbour('dental')),
    };
    return {
      implementations: [
        dataSubjectRpc({ db, log, keys: settings.ENCRYPTION_KEYS, personal }),
        implement(app, SubjectService, { findSubject }),
        implement(app, DoctorService, {
          createDoctor,
          listDoctors,
          getDoctor,
          updateDoctor,
          deactivateDoctor,
          listSlots,
          listAvailability,
          listVacations,
          createVacation,
          deleteVacation,
        }),
        implement(app, CalendarService, { getFeedUrls, regenerateFeedUrls, getCalendarFeed, openCalendar }),
        implement(app, PatientService, { createPatient, listPatients, getPatient, updatePatient }),
        implement(app, DoctorPhotoService, { setDoctorPhoto, removeDoctorPhoto, getDoctorPhoto }),
        implement(app, PatientBulkService, {
          beginPatientImport,
          appendPatientImport,
          finishPatientImport,
          getPatientImport,
          exportPatientImportErrors,
          exportPatients,
        }),
        implement(app, PatientFamilyService, {
          archivePatient,
          restorePatient,
          createDependant,
          listDependants,
          previewMerge,
          mergePatients,
          undoMerge,
          listMerges,
        }),
        implement(app, AppointmentService, {
          bookAppointment,
          listAppointments,
          getAppointment,
          updateAppointmentStatus,
          rescheduleAppointment,
          countChatBookings,
        }),
        implement(app, SlotDraftService, { createSlotDraft, deleteSlotDraft }),
        implement(app, WaitlistService, { joinWaitlist, listWaitlist, leaveWaitlist, acceptOffer, declineOffer }),
        implement(app, CheckInService, { getCheckInCode, getCheckIn, checkIn }),
        implement(app, AgendaService, { getAgenda, getAgendaSubscription, setAgendaSubscription }),
        implement(app, CommissionService, { getCommissionRule, setCommissionRule, listCommissions, getCommissionReport }),
        implement(app, AnalyticsService, { getDashboard, getPeakHours, listFigureRecords, drawDashboard, printDashboard }),
        implement(app, LookupService, {
          findPatient,
          findPatients,
          findAppointment,
          listUpcomingAppointments,
          setRecallOptOut,
          listPatientStates,
          listAppointmentStates,
        }),
      ],
      consumers: [
        onClinicRegistered,
        onClinicUpdated,
        onPaymentRecorded(app),
        onPaymentVoided(app),
        onAppointmentBookedAnalytics,
        onAppointmentStatusChangedAnalytics,
        onAppointmentRescheduledAnalytics,
        onAppointmentReassignedAnalytics,
        onPaymentPlanUpdatedAnalytics(app),
        onTreatmentPlanUpdatedAnalytics(app),
        onTaxDocumentChangedAnalytics,
        onClinicRegisteredAnalytics,
        onClinicUpdatedAnalytics,
      ],
      jobs: [
        importPatientsJob(app),
        deleteOldImportsJob(app),
        deleteExpiredDraftsJob(app),
        expireOfferJob(app),
        sweepWaitlistJob(app),
        markAgendasJob(app),
        mailAgendaJob(app),
      ],
    };
  },
} satisfies ServiceModule<typeof schedulingSettings>;
