// Commissions of doctors on the payments of their patients.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { CommissionService } from '@clinic/proto/scheduling/v1/commission_pb.js';
import type { App } from '../app.ts';
import { onPaymentRecorded, onPaymentVoided } from './consumers.ts';
import { getCommissionReport } from './get-commission-report.ts';
import { getCommissionRule } from './get-commission-rule.ts';
import { listCommissions } from './list-commissions.ts';
import { setCommissionRule } from './set-commission-rule.ts';

export const commissions: Module<App> = {
  rpcs: [rpcs(CommissionService, { getCommissionRule, setCommissionRule, listCommissions, getCommissionReport })],
  consumers: (app) => [onPaymentRecorded(app), onPaymentVoided(app)],
  personal: [
    { table: 'commission_entries', ofPatient: 'patient_id = any($ids)', why: 'only ids, days and sums, for the statistics' },
    { table: 'commission_voids' },
    { table: 'commission_rules' },
  ],
};
