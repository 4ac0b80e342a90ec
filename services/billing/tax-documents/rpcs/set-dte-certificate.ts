// Sets the certificate that signs for the clinic. Only its private key is kept, sealed.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { found, invalid } from '@clinic/lib/errors/errors.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { SetDteCertificateRequest } from '@clinic/proto/billing/v1/dte_issuer_pb.js';
import type { App } from '../../app.ts';
import { isFault, readCertificate } from '../rules/certificate.ts';
import { issuerContext, sealJson } from '../encrypted-columns.ts';
import { showIssuer } from '../show-issuer.ts';
import { findIssuer, putCertificate } from '../sql/issuers.sql.ts';

const MOST_CHARACTERS = 200_000;

export async function setDteCertificate(app: App, request: SetDteCertificateRequest, call: Call) {
  const clinicId = clinicOf(call).id;
  const xml = parseText('certificate', request.certificate, MOST_CHARACTERS);
  const { password } = request;
  const read = readCertificate(xml, password);
  if (isFault(read)) return invalid(read.path, read.message);
  const { nit, privateKey, fingerprint } = read;
  return inTenant(app.db, clinicId, async (tx) => {
    const issuer = found(await findIssuer(tx), 'Issuer');
    if (issuer.nit !== nit) invalid('certificate', 'must be of the NIT of the issuer');
    await putCertificate(tx, sealJson(app.keys, { privateKey, password }, issuerContext(clinicId, 'signing')), nit, fingerprint, app.clock.now());
    await audit(tx, clinicId, call.caller, { action: 'tax_issuer.certificate_set', entityId: clinicId, changes: { fingerprint } });
    return showIssuer(app, tx);
  });
}
