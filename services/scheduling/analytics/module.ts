// Figures of a clinic, counted from events.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { AnalyticsService } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import type { App } from '../app.ts';
import { onAppointmentBookedAnalytics } from './consumers/on-appointment-booked-analytics.ts';
import { onAppointmentReassignedAnalytics } from './consumers/on-appointment-reassigned-analytics.ts';
import { onAppointmentRescheduledAnalytics } from './consumers/on-appointment-rescheduled-analytics.ts';
import { onAppointmentStatusChangedAnalytics } from './consumers/on-appointment-status-changed-analytics.ts';
import { onClinicRegisteredAnalytics } from './consumers/on-clinic-registered-analytics.ts';
import { onClinicUpdatedAnalytics } from './consumers/on-clinic-updated-analytics.ts';
import { onPaymentPlanUpdatedAnalytics } from './consumers/on-payment-plan-updated-analytics.ts';
import { onTaxDocumentChangedAnalytics } from './consumers/on-tax-document-changed-analytics.ts';
import { onTreatmentPlanUpdatedAnalytics } from './consumers/on-treatment-plan-updated-analytics.ts';
import { drawDashboard } from './rpcs/draw-dashboard.ts';
import { getDashboard } from './rpcs/get-dashboard.ts';
import { getPeakHours } from './get-peak-hours.ts';
import { listFigureRecords } from './list-figure-records.ts';
import { printDashboard } from './rpcs/print-dashboard.ts';

const FIGURES = 'ids, days and sums alone, for the statistics';

export const analytics: Module<App> = {
  rpcs: [rpcs(AnalyticsService, { getDashboard, getPeakHours, listFigureRecords, drawDashboard, printDashboard })],
  consumers: (app) => [
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
  personal: [
    { table: 'analytics_patient_days', ofPatient: 'patient_id = any($ids)', why: FIGURES },
    { table: 'analytics_treatment_visits' },
    { table: 'analytics_treatments', ofPatient: 'patient_id = any($ids)', why: FIGURES },
    { table: 'analytics_receivables' },
    { table: 'analytics_revenue' },
    { table: 'analytics_payment_plans', ofPatient: 'patient_id = any($ids)', why: FIGURES },
    { table: 'analytics_documents' },
    { table: 'analytics_document_days' },
    { table: 'analytics_receivable_days' },
    { table: 'analytics_procedure_days' },
    { table: 'analytics_revenue_days' },
    { table: 'analytics_hours' },
    { table: 'analytics_days' },
    { table: 'analytics_treatment_days' },
    { table: 'analytics_seen_days' },
    { table: 'analytics_clinics' },
  ],
};
