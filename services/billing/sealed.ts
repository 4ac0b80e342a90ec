// What billing keeps sealed, for the rotation of keys.
import type { SealedColumn } from '@clinic/lib/reseal.ts';
import { bodyContext } from './subscriptions/sealed-body.ts';
import { DTE_SEALED } from './tax-documents/sealed.ts';

export default [{ table: 'payment_events', key: ['id'], column: 'body_sealed', context: ({ id }) => bodyContext(id) }, ...DTE_SEALED] satisfies SealedColumn[];
