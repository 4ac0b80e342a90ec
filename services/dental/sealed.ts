// What dental keeps sealed, for the rotation of keys.
import type { SealedColumn } from '@clinic/lib/reseal.ts';
import { acceptanceContext } from './quotes/quotes.sql.ts';

const acceptance = (column: 'signer' | 'signature') =>
  ({
    table: 'quote_acceptances',
    key: ['clinic_id', 'quote_id'],
    column: `${column}_sealed`,
    context: ({ clinic_id, quote_id }) => acceptanceContext(clinic_id, quote_id, column),
  }) satisfies SealedColumn;

export default [acceptance('signer'), acceptance('signature')];
