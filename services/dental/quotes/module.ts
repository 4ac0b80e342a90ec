import type { EncryptedColumn } from '@clinic/lib/crypto/reencrypt.ts';
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { storageJob, toIdentity } from '@clinic/lib/usage/storage.ts';
import { TreatmentPlanService } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import type { App } from '../app.ts';
import { OF_PLAN } from '../treatment-plans/sql/treatment-plans.sql.ts';
import { acceptQuote } from './accept-quote.ts';
import { createQuote } from './create-quote.ts';
import { getEstimate } from './get-estimate.ts';
import { getQuote } from './get-quote.ts';
import { acceptanceContext } from './quotes.sql.ts';

const OF_QUOTE = `quote_id in (select q.id from quotes q where q.clinic_id = $1 and q.${OF_PLAN})`;

const acceptance = (column: string, context: string): EncryptedColumn => ({
  table: 'quote_acceptances',
  key: ['clinic_id', 'quote_id'],
  column,
  context: ({ clinic_id, quote_id }) => acceptanceContext(clinic_id, quote_id, context),
});

export const quotes: Module<App> = {
  rpcs: [rpcs(TreatmentPlanService, { createQuote, getQuote, acceptQuote, getEstimate })],
  jobs: ({ db, usageReports }) => [storageJob(db, ['quote_acceptances.signature_sealed'], toIdentity('dental', usageReports))],
  personal: [
    { table: 'quote_acceptances', ofPatient: OF_QUOTE, erase: 'delete' },
    { table: 'quotes', ofPatient: OF_PLAN, erase: 'delete' },
  ],
  encrypted: [acceptance('signer_sealed', 'signer'), acceptance('signature_sealed', 'signature')],
};
