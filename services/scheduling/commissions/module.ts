// Commissions of doctors on the payments of their patients.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { CommissionService } from '@clinic/proto/scheduling/v1/commission_pb.js';
import type { App } from '../app.ts';
import { getCommissionRule, setCommissionRule } from './commission-rule.ts';
import { onPaymentRecorded, onPaymentVoided } from './consumers.ts';
import { getCommissionReport, listCommissions } from './list-commissions.ts';

export const commissions: Module<App> = {
  rpcs: [rpcs(CommissionService, { getCommissionRule, setCommissionRule, listCommissions, getCommissionReport })],
  consumers: (app) => [onPaymentRecorded(app), onPaymentVoided(app)],
  personal: [
    { table: 'commission_entries', ofPatient: 'patient_id = any($ids)', why: 'only ids, days and sums, for the statistics' },
    { table: 'commission_voids' },
    { table: 'commission_rules' },
  ],
};
