// Documents and events of the simulated tax authority, and its checks: signature, schema, duplicates, contingencies.
import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomBytes } from 'node:crypto';
import { CompactSign, compactVerify } from 'jose';
import { issueCertificate } from './certificate.ts';
import type { Entry, Journal, StoredDocument } from './journal.ts';
import { schemaFaults } from './schemas.ts';

export type Body = Record<string, unknown>;
export type Verdict = { estado: string; selloRecibido: string | null; codigoMsg: string; descripcionMsg: string; observaciones: string[] };

/** A random `sello de recepción`: 40 characters. */
const newStamp = () => [...randomBytes(40)].map((byte) => '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'[byte % 36]).join('');
const accept = (estado: string, selloRecibido: string): Verdict => ({
  estado,
  selloRecibido,
  codigoMsg: '001',
  descripcionMsg: 'RECIBIDO',
  observaciones: [],
});
export const refuse = (codigoMsg: string, descripcionMsg: string, observaciones: string[] = []): Verdict => ({
  estado: 'RECHAZADO',
  selloRecibido: null,
  codigoMsg,
  descripcionMsg,
  observaciones,
});

type Holder = { publicKey: KeyObject; privateKey: KeyObject; clave: string };

export function openBooks(journal: Journal) {
  const holders = new Map<string, Holder>();
  const documents = new Map<string, StoredDocument>();
  const numbers = new Set<string>();
  /** Stamps of events by their codes. */
  const events = new Map<string, string>();
  /** Codes of documents that a contingency event has announced. */
  const announced = new Set<string>();

  const numberOf = ({ environment = '00', nit, year, controlNumber }: StoredDocument) => `${environment}:${nit}:${year}:${controlNumber}`;

  function apply(entry: Entry): void {
    if ('certificate' in entry) {
      const { nit, privateKey, clave } = entry.certificate;
      const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
      holders.set(nit, { privateKey: key, publicKey: createPublicKey(key), clave });
    } else if ('document' in entry) {
      documents.set(entry.document.code, { ...entry.document });
      numbers.add(numberOf(entry.document));
    } else {
      const { code, seal: stamp, invalidates, announces = [] } = entry.event;
      events.set(code, stamp);
      const document = invalidates === undefined ? undefined : documents.get(invalidates);
      if (document) document.isInvalid = true;
      for (const announcedCode of announces) announced.add(announcedCode);
    }
  }

  function store(entry: Entry): void {
    journal.write(entry);
    apply(entry);
  }
  for (const entry of journal.entries) apply(entry);

  /** The content of a signed event; or the verdict: the earlier stamp of an event that is already known, or a refusal. */
  async function openEvent(kind: string, estado: string, nit: unknown, jws: unknown): Promise<{ event: Record<string, Body>; code: string } | Verdict> {
    const event = await verify(nit, jws);
    if (!event) return refuse('802', 'FIRMA NO VALIDA');
    const { identificacion: head = {} } = event;
    const code = String(head.codigoGeneracion);
    const known = events.get(code);
    if (known) return accept(estado, known);
    const faults = await schemaFaults(kind, head.version, event);
    return faults.length > 0 ? refuse('096', 'NO CUMPLE EL ESQUEMA', faults) : { event, code };
  }

  /** The signed content; undefined when the signature is invalid. */
  async function verify(nit: unknown, jws: unknown): Promise<Record<string, Body> | undefined> {
    const key = holders.get(String(nit))?.publicKey;
    if (!key) return undefined;
    try {
      const { payload, protectedHeader } = await compactVerify(String(jws), key, { algorithms: ['RS512'] });
      if (Object.keys(protectedHeader).length !== 1) return undefined;
      return JSON.parse(new TextDecoder().decode(payload)) as Record<string, Body>;
    } catch {
      return undefined;
    }
  }

  /** NIT of the alleged signer, read before the signature is verified. */
  function signer(jws: unknown): unknown {
    try {
      const [, payload = ''] = String(jws).split('.');
      return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { emisor: { nit: string } }).emisor.nit;
    } catch {
      return undefined;
    }
  }

  return {
    documents,
    events,
    holders,
    certificate(nit: string, password: string): string {
      const { xml, privateKey, clave } = issueCertificate(nit, password);
      store({ certificate: { nit, privateKey, clave } });
      return xml;
    },
    /** Responds like the authority's own signer. */
    async sign({ nit, passwordPri, dteJson }: Body): Promise<{ status: string; body: unknown }> {
      const refused = (codigo: string, mensaje: string) => ({ status: 'ERROR', body: { codigo, mensaje } });
      const holder = holders.get(String(nit));
      if (dteJson === undefined || passwordPri === undefined) return refused('809', 'Son datos requeridos');
      if (!holder) return refused('812', 'No existe el archivo del certificado');
      if (createHash('sha512').update(String(passwordPri)).digest('hex') !== holder.clave) return refused('803', 'No existe llave privada para este nit');
      const payload = Buffer.from(JSON.stringify(dteJson));
      return { status: 'OK', body: await new CompactSign(payload).setProtectedHeader({ alg: 'RS512' }).sign(holder.privateKey) };
    },
    async receive(body: Body): Promise<Verdict> {
      const document = await verify(signer(body.documento), body.documento);
      if (!document) return refuse('802', 'FIRMA NO VALIDA');
      const { identificacion: head = {}, emisor = {} } = document;
      const [kind, code, controlNumber] = [String(head.tipoDte), String(head.codigoGeneracion), String(head.numeroControl)];
      if (body.codigoGeneracion !== code || body.tipoDte !== kind || body.version !== head.version) return refuse('097', 'DATOS DE ENVIO NO COINCIDEN');
      const faults = await schemaFaults(kind, head.version, document);
      if (faults.length > 0) return refuse('096', 'NO CUMPLE EL ESQUEMA', faults);
      // There is no `await` from here on, so that one of two concurrent requests with the same document is refused.
      if (documents.has(code)) return refuse('004', 'YA EXISTE UN REGISTRO CON ESE CODIGO DE GENERACION');
      const contingency = head.tipoOperacion === 2;
      const [environment, year, nit] = [String(head.ambiente), String(head.fecEmi).slice(0, 4), String(emisor.nit)];
      const received = { environment, kind, code, controlNumber, year, nit, seal: '', isInvalid: false, contingency };
      if (numbers.has(numberOf(received))) return refuse('005', 'YA EXISTE UN REGISTRO CON ESE NUMERO DE CONTROL');
      if (contingency && !announced.has(code)) return refuse('098', 'SIN EVENTO DE CONTINGENCIA');
      const stamp = newStamp();
      store({ document: { ...received, seal: stamp } });
      return accept('PROCESADO', stamp);
    },
    query({ codigoGeneracion, nitEmisor }: Body): Verdict | undefined {
      const document = documents.get(String(codigoGeneracion));
      return document && document.nit === nitEmisor ? accept('PROCESADO', document.seal) : undefined;
    },
    async invalidate(body: Body): Promise<Verdict> {
      const opened = await openEvent('invalidation', 'PROCESADO', signer(body.documento), body.documento);
      if (!('event' in opened)) return opened;
      const { documento = {} } = opened.event;
      const document = documents.get(String(documento.codigoGeneracion));
      if (document?.seal !== documento.selloRecibido || !document) return refuse('009', 'EL DOCUMENTO NO EXISTE');
      if (document.isInvalid) return refuse('010', 'EL DOCUMENTO YA FUE INVALIDADO');
      const stamp = newStamp();
      store({ event: { code: opened.code, seal: stamp, invalidates: document.code } });
      return accept('PROCESADO', stamp);
    },
    async announce(body: Body): Promise<Verdict> {
      const opened = await openEvent('contingency', 'RECIBIDO', body.nit, body.documento);
      if (!('event' in opened)) return opened;
      const announces = (opened.event.detalleDTE as unknown as Body[]).map(({ codigoGeneracion }) => String(codigoGeneracion));
      const stamp = newStamp();
      store({ event: { code: opened.code, seal: stamp, announces } });
      return accept('RECIBIDO', stamp);
    },
  };
}
