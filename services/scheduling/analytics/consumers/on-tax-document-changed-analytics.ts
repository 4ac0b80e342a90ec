// A tax document was issued, refused or invalidated.
import { subscribe } from '@clinic/lib/events/events.ts';
import { TaxDocumentChangedSchema } from '@clinic/proto/events/v1/dte_pb.js';
import { countDocuments } from '../count-documents.ts';

export const onTaxDocumentChangedAnalytics = subscribe('analytics-of-tax-documents', 'billing', TaxDocumentChangedSchema, (tx, event, { clinicId }) =>
  countDocuments(tx, clinicId, [event]),
);
