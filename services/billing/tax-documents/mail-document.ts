// Mails a document to whoever receives it: PDF and JSON, and a link to both for whose server takes no files.
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { App } from '../app.ts';
import { documentToken } from './share-token.ts';
import { jsonFile, pdfFile } from './document-files.ts';
import type { Issuer } from './rules/issuer.ts';
import { KIND_NAMES } from './rules/kinds.ts';
import { type DocumentRow, openContent } from './sql/documents.sql.ts';

type Letter = {
  issuer: Issuer;
  to: string;
  /** Makes a repeat harmless. */
  reference: string;
  requestId: string;
};

export async function mailDocument(app: App, clinicId: string, row: DocumentRow, { issuer, to, reference, requestId }: Letter): Promise<void> {
  const { receiver } = openContent(app.keys, clinicId, row).order;
  const link = `${app.publicUrl}/api/dte/shared/${documentToken(app.keys, { clinicId, documentId: row.id })}`;
  const state = row.status === 'invalidated' ? ' (invalidado)' : '';
  const parameters = {
    name: receiver?.name ?? 'cliente',
    clinic: issuer.tradeName ?? issuer.name,
    text: `Le enviamos su documento tributario electrónico (${KIND_NAMES[row.kind].toLowerCase()}) ${row.control_number}${state}, en PDF y en JSON.`,
    link: `${link}.pdf`,
  };
  const files = [await pdfFile(app, clinicId, row), jsonFile(app, clinicId, row)];
  const attachments = files.map(({ filename, contentType, content }) => ({ filename, contentType, content }));
  await app.mail.sendMail({ kind: 'document', to, parameters, reference, attachments }, callAs(serviceCaller('billing', requestId)));
}
