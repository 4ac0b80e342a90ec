// Mails a document: its PDF, its JSON and, for receivers whose mail server removes attachments, a link to the PDF.
import { inTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { App } from '../app.ts';
import { toJsonFile, toPdfFile } from './document-files.ts';
import { decryptProfile } from './get-issuer.ts';
import type { Issuer } from './rules/issuer.ts';
import { KIND_NAMES } from './rules/kinds.ts';
import { encodeShareToken, linkExpiry } from './share-token.ts';
import { type DocumentRow, decryptContent, findDocument } from './sql/documents.sql.ts';
import { findIssuer } from './sql/issuers.sql.ts';
import { findLinkState } from './sql/links.sql.ts';

export const MAIL_TAX_DOCUMENT = 'mail-tax-document';

/** Mails a document to its receiver once the authority has sealed it, unless the clinic sends its documents itself. */
export const mailTaxDocument = (app: App) =>
  job<{ clinicId: string; documentId: string }>(MAIL_TAX_DOCUMENT, { limitSeconds: 60 }, async ({ clinicId, documentId }) => {
    const [row, issuerRow] = await inTenant(app.db, clinicId, async (tx) => [await findDocument(tx, documentId), await findIssuer(tx)] as const);
    // It may have been invalidated meanwhile.
    if (row?.status !== 'processed' || !issuerRow) return;
    const issuer = decryptProfile(app, issuerRow);
    const to = decryptContent(app.keys, clinicId, row).order.receiver?.email;
    if (!to || !issuer.mailsReceivers) return;
    await mailDocument(app, clinicId, row, { issuer, to, reference: `${row.id}:sealed`, requestId: row.id });
  });

/** `reference` identifies the mail, so that a repeated call sends it once. */
type Mail = { issuer: Issuer; to: string; reference: string; requestId: string };

export async function mailDocument(app: App, clinicId: string, row: DocumentRow, { issuer, to, reference, requestId }: Mail): Promise<void> {
  const { receiver } = decryptContent(app.keys, clinicId, row).order;
  const { revocations } = found(await findLinkState(app.db, clinicId, row.id), 'Document');
  const token = encodeShareToken(app.keys, { clinicId, documentId: row.id, revocations, expiresAt: linkExpiry(app.clock.now(), app.linkDays) });
  const state = row.status === 'invalidated' ? ' (invalidado)' : '';
  const parameters = {
    name: receiver?.name ?? 'cliente',
    clinic: issuer.tradeName ?? issuer.name,
    text: `Le enviamos su documento tributario electrónico (${KIND_NAMES[row.kind].toLowerCase()}) ${row.control_number}${state}, en PDF y en JSON.`,
    link: `${app.publicUrl}/api/dte/shared/${token}.pdf`,
  };
  const files = [await toPdfFile(app, clinicId, row), toJsonFile(app, clinicId, row)];
  const attachments = files.map(({ filename, contentType, content }) => ({ filename, contentType, content }));
  await app.mail.sendMail({ kind: 'document', to, parameters, reference, attachments }, callAs(serviceCaller('billing', requestId)));
}
