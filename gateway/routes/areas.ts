// All areas of the public API. A new area must be added here.
import type { Area } from '../http/route.ts';
import { agenda } from './agenda.ts';
import { analytics } from './analytics.ts';
import { appointmentImports, balanceImports } from './appointment-imports.ts';
import { appointmentSeries } from './appointment-series.ts';
import { appointmentTypes } from './appointment-types.ts';
import { appointments } from './appointments.ts';
import { assistant } from './assistant.ts';
import { auditLog } from './audit-log.ts';
import { auth } from './auth.ts';
import { calendar } from './calendar.ts';
import { cannedReplies } from './canned-replies.ts';
import { bot } from './chat-bot.ts';
import { chat } from './chat-channel.ts';
import { chatEvents, deadLetters } from './chat-operations.ts';
import { checkIn } from './check-in.ts';
import { clinic, entitlements } from './clinic.ts';
import { clinicalNotes, clinicNotes } from './clinical-notes.ts';
import { commissionRules, commissions } from './commissions.ts';
import { conversations } from './conversations.ts';
import { demo } from './demo-requests.ts';
import { dentalCharts } from './dental-charts.ts';
import { dentalPayments, patientBalance } from './dental-payments.ts';
import { dentalPlans } from './dental-plans.ts';
import { dentalRecall } from './dental-recall.ts';
import { doctors } from './doctors.ts';
import { dte, taxProfiles } from './dte.ts';
import { faq } from './faq.ts';
import { alertProposals, clinicForms, formTemplates, patientForms, publicForms } from './forms.ts';
import { integrationKeys } from './integration-keys.ts';
import { medicalAlerts } from './medical-alerts.ts';
import { operations } from './operations.ts';
import { operators } from './operators.ts';
import { patientFiles } from './patient-files.ts';
import { patientTimeline } from './patient-timeline.ts';
import { patients } from './patients.ts';
import { patientsBulk } from './patients-bulk.ts';
import { billing } from './payment-events.ts';
import { prescriptions, sharedPrescriptions } from './prescriptions.ts';
import { publicBooking } from './public-booking.ts';
import { resources } from './resources.ts';
import { slotDrafts } from './slot-drafts.ts';
import { superadmin } from './superadmin.ts';
import { users } from './users.ts';
import { waitlist } from './waitlist.ts';
import { webhooks } from './webhooks.ts';

export const areas: Area[] = [
  auth,
  users,
  clinic,
  entitlements,
  auditLog,
  integrationKeys,
  doctors,
  patientsBulk,
  patients,
  medicalAlerts,
  clinicalNotes,
  patientFiles,
  clinicNotes,
  prescriptions,
  sharedPrescriptions,
  patientTimeline,
  formTemplates,
  patientForms,
  clinicForms,
  alertProposals,
  publicForms,
  appointmentSeries,
  appointmentImports,
  appointments,
  slotDrafts,
  appointmentTypes,
  resources,
  waitlist,
  checkIn,
  publicBooking,
  agenda,
  analytics,
  commissionRules,
  commissions,
  calendar,
  dentalCharts,
  dentalPlans,
  dentalPayments,
  patientBalance,
  balanceImports,
  dentalRecall,
  dte,
  taxProfiles,
  demo,
  chat,
  bot,
  conversations,
  faq,
  cannedReplies,
  assistant,
  deadLetters,
  chatEvents,
  superadmin,
  operators,
  operations,
  billing,
  webhooks,
];
