// What the simulated authority remembers and how it decides: signature, schema, doubles, contingencies.
import type { KeyObject } from 'node:crypto';
import { randomBytes } from 'node:crypto';
import { compactVerify } from 'jose';
import { issueCertificate } from './certificate.ts';
import { schemaFaults } from './schemas.ts';

export type Body = Record<string, unknown>;
export type Verdict = { estado: string; selloRecibido: string | null; codigoMsg: string; descripcionMsg: string; observaciones: string[] };
export type Kept = { kind: string; code: string; controlNumber: string; year: string; nit: string; seal: string; isInvalid: boolean; contingency: boolean };

const seal = () => [...randomBytes(40)].map((byte) => '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'[byte % 36]).join('');
const accept = (estado: string, selloRecibido = seal()): Verdict => ({
  estado,
  selloRecibido,
  codigoMsg: '001',
  descripcionMsg: 'RECIBIDO',
  observaciones: [],
});
const refuse = (codigoMsg: string, descripcionMsg: string, observaciones: string[] = []): Verdict => ({
  estado: 'RECHAZADO',
  selloRecibido: null,
  codigoMsg,
  descripcionMsg,
  observaciones,
});

export function openBooks() {
  const keys = new Map<string, KeyObject>();
  const documents = new Map<string, Kept>();
  const numbers = new Set<string>();
  /** Seals of events by their codes, and what contingencies told of. */
  const events = new Map<string, string>();
  const announced = new Set<string>();

  /** The signed content, or undefined. */
  async function verify(nit: unknown, jws: unknown): Promise<Record<string, Body> | undefined> {
    const key = keys.get(String(nit));
    if (!key) return undefined;
    try {
      const { payload, protectedHeader } = await compactVerify(String(jws), key, { algorithms: ['RS512'] });
      if (Object.keys(protectedHeader).length !== 1) return undefined;
      return JSON.parse(new TextDecoder().decode(payload)) as Record<string, Body>;
    } catch {
      return undefined;
    }
  }

  /** Who says to have signed it: read before the signature is checked. */
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
    certificate(nit: string, password: string): string {
      const { xml, publicKey } = issueCertificate(nit, password);
      keys.set(nit, publicKey);
      return xml;
    },
    async receive(body: Body): Promise<Verdict> {
      const document = await verify(signer(body.documento), body.documento);
      if (!document) return refuse('802', 'FIRMA NO VALIDA');
      const { identificacion: head = {}, emisor = {} } = document;
      const [kind, code, controlNumber] = [String(head.tipoDte), String(head.codigoGeneracion), String(head.numeroControl)];
      if (body.codigoGeneracion !== code || body.tipoDte !== kind || body.version !== head.version) return refuse('097', 'DATOS DE ENVIO NO COINCIDEN');
      if (documents.has(code)) return refuse('004', 'YA EXISTE UN REGISTRO CON ESE CODIGO DE GENERACION');
      const faults = schemaFaults(kind, head.version, document);
      if (faults.length > 0) return refuse('096', 'NO CUMPLE EL ESQUEMA', faults);
      const year = String(head.fecEmi).slice(0, 4);
      const number = `${emisor.nit}:${year}:${controlNumber}`;
      if (numbers.has(number)) return refuse('005', 'YA EXISTE UN REGISTRO CON ESE NUMERO DE CONTROL');
      const contingency = head.tipoOperacion === 2;
      if (contingency && !announced.has(code)) return refuse('098', 'SIN EVENTO DE CONTINGENCIA');
      const verdict = accept('PROCESADO');
      numbers.add(number);
      documents.set(code, { kind, code, controlNumber, year, nit: String(emisor.nit), seal: verdict.selloRecibido ?? '', isInvalid: false, contingency });
      return verdict;
    },
    query({ codigoGeneracion, nitEmisor }: Body): Verdict | undefined {
      const kept = documents.get(String(codigoGeneracion));
      return kept && kept.nit === nitEmisor ? accept('PROCESADO', kept.seal) : undefined;
    },
    async invalidate(body: Body): Promise<Verdict> {
      const event = await verify(signer(body.documento), body.documento);
      if (!event) return refuse('802', 'FIRMA NO VALIDA');
      const { identificacion: head = {}, documento = {} } = event;
      const known = events.get(String(head.codigoGeneracion));
      if (known) return accept('PROCESADO', known);
      const faults = schemaFaults('invalidation', head.version, event);
      if (faults.length > 0) return refuse('096', 'NO CUMPLE EL ESQUEMA', faults);
      const kept = documents.get(String(documento.codigoGeneracion));
      if (kept?.seal !== documento.selloRecibido || !kept) return refuse('009', 'EL DOCUMENTO NO EXISTE');
      if (kept.isInvalid) return refuse('010', 'EL DOCUMENTO YA FUE INVALIDADO');
      kept.isInvalid = true;
      const verdict = accept('PROCESADO');
      events.set(String(head.codigoGeneracion), verdict.selloRecibido ?? '');
      return verdict;
    },
    async announce(body: Body): Promise<Verdict> {
      const event = await verify(body.nit, body.documento);
      if (!event) return refuse('802', 'FIRMA NO VALIDA');
      const { identificacion: head = {} } = event;
      const known = events.get(String(head.codigoGeneracion));
      if (known) return accept('RECIBIDO', known);
      const faults = schemaFaults('contingency', head.version, event);
      if (faults.length > 0) return refuse('096', 'NO CUMPLE EL ESQUEMA', faults);
      for (const { codigoGeneracion } of event.detalleDTE as unknown as Body[]) announced.add(String(codigoGeneracion));
      const verdict = accept('RECIBIDO');
      events.set(String(head.codigoGeneracion), verdict.selloRecibido ?? '');
      return verdict;
    },
  };
}
