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
import { getAgenda } from './agenda/get-agenda.ts';
import { getAgendaSubscription } from './agenda/get-agenda-subscription.ts';
import { mailAgendaJob, markAgendasJob } from './agenda/mail-agendas.ts';
import { setAgendaSubscription } from './agenda/set-agenda-subscription.ts';
import { onAppointmentBookedAnalytics } from './analytics/consumers/on-appointment-booked-analytics.ts';
import { onAppointmentReassignedAnalytics } from './analytics/consumers/on-appointment-reassigned-analytics.ts';
import { onAppointmentRescheduledAnalytics } from './analytics/consumers/on-appointment-rescheduled-analytics.ts';
import { onAppointmentStatusChangedAnalytics } from './analytics/consumers/on-appointment-status-changed-analytics.ts';
import { onClinicRegisteredAnalytics } from './analytics/consumers/on-clinic-registered-analytics.ts';
import { onClinicUpdatedAnalytics } from './analytics/consumers/on-clinic-updated-analytics.ts';
import { onPaymentPlanUpdatedAnalytics } from './analytics/consumers/on-payment-plan-updated-analytics.ts';
import { onTaxDocumentChangedAnalytics } from './analytics/consumers/on-tax-document-changed-analytics.ts';
import { onTreatmentPlanUpdatedAnalytics } from './analytics/consumers/on-treatment-plan-updated-analytics.ts';
import { drawDashboard } from './analytics/rpcs/draw-dashboard.ts';
import { getDashboard } from './analytics/rpcs/get-dashboard.ts';
import { getPeakHours } from './analytics/rpcs/get-peak-hours.ts';
import { listFigureRecords } from './analytics/rpcs/list-figure-records.ts';
import { printDashboard } from './analytics/rpcs/print-dashboard.ts';
import type { App } from './app.ts';
import { bookAppointment } from './appointments/book-appointment.ts';
import { countChatBookings } from './appointments/count-chat-bookings.ts';
import { findAppointment } from './appointments/find-appointment.ts';
import { getAppointment } from './appointments/get-appointment.ts';
import { listAppointmentStates } from './appointments/list-appointment-states.ts';
import { listAppointments } from './appointments/list-appointments.ts';
import { listUpcomingAppointments } from './appointments/list-upcoming-appointments.ts';
import { rescheduleAppointment } from './appointments/reschedule-appointment.ts';
import { updateAppointmentStatus } from './appointments/update-appointment-status.ts';
import { getCalendarFeed } from './calendar/get-calendar-feed.ts';
import { getFeedUrls } from './calendar/get-feed-urls.ts';
import { openCalendar } from './calendar/open-calendar.ts';
import { regenerateFeedUrls } from './calendar/regenerate-feed-urls.ts';
import { checkIn } from './check-in/check-in.ts';
import { getCheckIn } from './check-in/get-check-in.ts';
import { getCheckInCode } from './check-in/get-check-in-code.ts';
import { onClinicRegistered } from './clinics/on-clinic-registered.ts';
import { onClinicUpdated } from './clinics/on-clinic-updated.ts';
import { getCommissionReport } from './commissions/get-commission-report.ts';
import { getCommissionRule } from './commissions/get-commission-rule.ts';
import { listCommissions } from './commissions/list-commissions.ts';
import { onPaymentRecorded } from './commissions/on-payment-recorded.ts';
import { onPaymentVoided } from './commissions/on-payment-voided.ts';
import { setCommissionRule } from './commissions/set-commission-rule.ts';
import { createDoctor } from './doctors/create-doctor.ts';
import { createVacation } from './doctors/create-vacation.ts';
import { deactivateDoctor } from './doctors/deactivate-doctor.ts';
import { deleteVacation } from './doctors/delete-vacation.ts';
import { getDoctor } from './doctors/get-doctor.ts';
import { getDoctorPhoto } from './doctors/get-doctor-photo.ts';
import { listDoctors } from './doctors/list-doctors.ts';
import { listVacations } from './doctors/list-vacations.ts';
import { removeDoctorPhoto } from './doctors/remove-doctor-photo.ts';
import { setDoctorPhoto } from './doctors/set-doctor-photo.ts';
import { updateDoctor } from './doctors/update-doctor.ts';
import { appendPatientImport } from './patient-imports/append-patient-import.ts';
import { beginPatientImport } from './patient-imports/begin-patient-import.ts';
import { exportPatientImportErrors } from './patient-imports/export-patient-import-errors.ts';
import { finishPatientImport } from './patient-imports/finish-patient-import.ts';
import { getPatientImport } from './patient-imports/get-patient-import.ts';
import { deleteOldImportsJob, importPatientsJob } from './patient-imports/import-jobs.ts';
import { listMerges } from './patient-merges/list-merges.ts';
import { mergePatients } from './patient-merges/merge-patients.ts';
import { previewMerge } from './patient-merges/preview-merge.ts';
import { undoMerge } from './patient-merges/undo-merge.ts';
import { archivePatient } from './patients/rpcs/archive-patient.ts';
import { createDependant } from './patients/rpcs/create-dependant.ts';
import { createPatient } from './patients/rpcs/create-patient.ts';
import { exportPatients } from './patients/rpcs/export-patients.ts';
import { findPatient } from './patients/rpcs/find-patient.ts';
import { findPatients } from './patients/rpcs/find-patients.ts';
import { findSubject } from './patients/rpcs/find-subject.ts';
import { getPatient } from './patients/rpcs/get-patient.ts';
import { listDependants } from './patients/rpcs/list-dependants.ts';
import { listPatientStates } from './patients/rpcs/list-patient-states.ts';
import { listPatients } from './patients/rpcs/list-patients.ts';
import { restorePatient } from './patients/rpcs/restore-patient.ts';
import { setRecallOptOut } from './patients/rpcs/set-recall-opt-out.ts';
import { updatePatient } from './patients/rpcs/update-patient.ts';
import personal from './personal.ts';
import { schedulingSettings } from './settings.ts';
import { createSlotDraft } from './slots/create-slot-draft.ts';
import { deleteExpiredDraftsJob } from './slots/delete-expired-drafts.ts';
import { deleteSlotDraft } from './slots/delete-slot-draft.ts';
import { listAvailability } from './slots/list-availability.ts';
import { listSlots } from './slots/list-slots.ts';
import { acceptOffer } from './waitlist/accept-offer.ts';
import { declineOffer } from './waitlist/decline-offer.ts';
import { expireOfferJob, sweepWaitlistJob } from './waitlist/expire-offers.ts';
import { joinWaitlist } from './waitlist/join-waitlist.ts';
import { leaveWaitlist } from './waitlist/leave-waitlist.ts';
import { listWaitlist } from './waitlist/list-waitlist.ts';
import { offerFreed } from './waitlist/offer-slots.ts';

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
      onSlotFreed: offerFreed,
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
