// A document as a file, for anyone with a valid link from a mail.
import { fail } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { OpenTaxDocumentRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import { toJsonFile, toPdfFile } from '../document-files.ts';
import { getDocument } from '../get-document.ts';
import { decodeShareToken, linkExpiry } from '../share-token.ts';
import { findLinkState } from '../sql/links.sql.ts';

export async function openTaxDocument(app: App, request: OpenTaxDocumentRequest, call: Call) {
  const { clinicId, documentId, revocations, expiresAt } = decodeShareToken(app.keys, request.token) ?? fail('NOT_FOUND', 'Document not found');
  const format = parseOneOf('format', request.format, ['pdf', 'json']);
  const state = (await findLinkState(app.db, clinicId, documentId)) ?? fail('NOT_FOUND', 'Document not found');
  if (revocations !== state.revocations || app.clock.now() >= (expiresAt ?? linkExpiry(state.issued_at, app.linkDays)))
    fail('NOT_FOUND', 'This link has expired or was revoked: the clinic can send a new one');
  const row = await getDocument(app, clinicId, call.caller, documentId);
  return format === 'pdf' ? toPdfFile(app, clinicId, row) : toJsonFile(app, clinicId, row);
}
