// Sends a document to its receiver once the authority has sealed it, unless the clinic has said that it does so itself.
import { inTenant } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { mailDocument } from './mail-document.ts';
import { MAIL_TAX_DOCUMENT } from './queues.ts';
import { openProfile } from './get-issuer.ts';
import { findDocument, openContent } from './sql/documents.sql.ts';
import { findIssuer } from './sql/issuers.sql.ts';

type Data = { clinicId: string; documentId: string };

export const mailTaxDocument = (app: App) =>
  job<Data>(MAIL_TAX_DOCUMENT, { limitSeconds: 60 }, async ({ clinicId, documentId }) => {
    const [row, issuerRow] = await inTenant(app.db, clinicId, async (tx) => [await findDocument(tx, documentId), await findIssuer(tx)] as const);
    // It may have been invalidated meanwhile.
    if (row?.status !== 'processed' || !issuerRow) return;
    const issuer = openProfile(app, issuerRow);
    const to = openContent(app.keys, clinicId, row).order.receiver?.email;
    if (!to || !issuer.mailsReceivers) return;
    await mailDocument(app, clinicId, row, { issuer, to, reference: `${row.id}:sealed`, requestId: row.id });
  });
