// Sets the certificate that signs the clinic's documents. Only its private key and password are stored, encrypted.
import { audit, isUnchanged } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { found, invalid } from '@clinic/lib/errors/errors.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { SetDteCertificateRequest } from '@clinic/proto/billing/v1/dte_issuer_pb.js';
import type { App } from '../../app.ts';
import { encryptJson, issuerContext } from '../encrypted-columns.ts';
import { decryptSigningKey, getPublicIssuer } from '../get-issuer.ts';
import { lockIssuer, putCertificate } from '../sql/issuers.sql.ts';

const MAX_CHARACTERS = 200_000;

export async function setDteCertificate(app: App, request: SetDteCertificateRequest, call: Call) {
  const clinicId = clinicOf(call).id;
  const xml = parseText('certificate', request.certificate, MAX_CHARACTERS);
  const { password } = request;
  const { isFault, parseCertificate } = await import('../rules/certificate.ts'); // the XML parser is loaded only where a certificate is set
  const certificate = parseCertificate(xml, password);
  if (isFault(certificate)) return invalid(certificate.path, certificate.message);
  const { nit, privateKey, fingerprint } = certificate;
  return inTenant(app.db, clinicId, async (tx) => {
    const issuer = found(await lockIssuer(tx), 'Issuer');
    if (issuer.nit !== nit) invalid('certificate', 'must have the NIT of the issuer');
    const signing = { privateKey, password };
    const stored = { nit: issuer.certificate_nit, ...decryptSigningKey(app, issuer) };
    if (isUnchanged(stored, { nit, ...signing })) return getPublicIssuer(app, tx);
    await putCertificate(tx, encryptJson(app.keys, signing, issuerContext(clinicId, 'signing')), nit, fingerprint, app.clock.now());
    await audit(tx, clinicId, call.caller, { action: 'tax_issuer.certificate_set', entityId: clinicId, changes: { fingerprint } });
    return getPublicIssuer(app, tx);
  });
}
