// The figures of a clinic, updated by events.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { AnalyticsService } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import type { App } from '../app.ts';
import { consumers } from './consumers.ts';
import { getDashboard, getPeakHours } from './get-dashboard.ts';
import { listFigureRecords } from './list-figure-records.ts';
import { drawDashboard, printDashboard } from './render-dashboard.ts';

const FIGURES = 'only ids, days and sums, for the statistics';

export const analytics: Module<App> = {
  rpcs: [rpcs(AnalyticsService, { getDashboard, getPeakHours, listFigureRecords, drawDashboard, printDashboard })],
  consumers,
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
    { table: 'analytics_resource_days' },
    { table: 'analytics_treatment_days' },
    { table: 'analytics_seen_days' },
    { table: 'analytics_clinics' },
  ],
};
