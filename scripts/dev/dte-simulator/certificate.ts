// Creates a certificate in the format of the tax authority: an XML with both keys and the hash of the password.
import { createHash, generateKeyPairSync } from 'node:crypto';

/** The private key as PKCS #8, base64; `clave` is the hash of its password. */
export type Issued = { xml: string; privateKey: string; clave: string };

export function issueCertificate(nit: string, password: string): Issued {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const encoded = { private: privateKey.export({ type: 'pkcs8', format: 'der' }), public: publicKey.export({ type: 'spki', format: 'der' }) };
  const clave = createHash('sha512').update(password).digest('hex');
  const xml = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<CertificadoMH>
  <_id>simulated</_id>
  <nit>${nit}</nit>
  <publicKey><keyType>PUBLIC</keyType><algorithm>RSA</algorithm><encodied>${encoded.public.toString('base64')}</encodied><format>X.509</format></publicKey>
  <privateKey><keyType>PRIVATE</keyType><algorithm>RSA</algorithm><encodied>${encoded.private.toString('base64')}</encodied><format>PKCS#8</format><clave>${clave}</clave></privateKey>
  <activo>true</activo>
</CertificadoMH>
`;
  return { xml, privateKey: encoded.private.toString('base64'), clave };
}
