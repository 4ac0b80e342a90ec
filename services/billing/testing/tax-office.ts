// A running billing service with the simulated tax authority as a process of its own, and clinics that may issue documents.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { implement } from '@clinic/lib/rpc/pipeline.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { asAdmin, asUser } from '@clinic/lib/testing/callers.ts';
import { manualClock } from '@clinic/lib/testing/clock.ts';
import { type TestService, testService } from '@clinic/lib/testing/service.ts';
import { testSettings } from '@clinic/lib/testing/settings.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { TaxDocumentService } from '@clinic/proto/billing/v1/dte_document_pb.js';
import { DteIssuerService } from '@clinic/proto/billing/v1/dte_issuer_pb.js';
import { DteReceiverService } from '@clinic/proto/billing/v1/dte_receiver_pb.js';
import { LookupService as DentalLookupService } from '@clinic/proto/dental/v1/lookup_pb.js';
import { SubscriptionService } from '@clinic/proto/identity/v1/subscription_pb.js';
import { MailService, type SendMailRequest } from '@clinic/proto/messaging/v1/mail_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { afterAll, beforeEach } from '@jest/globals';
import pg from 'pg';
import { createApp } from '../app.ts';
import billing from '../service.ts';
import { getReadyIssuer } from '../tax-documents/get-issuer.ts';
import { issueDocument } from '../tax-documents/issue-document.ts';
import { lockIssuerKey } from '../tax-documents/sql/issuers.sql.ts';
import { sweep } from '../tax-documents/sweep-tax-documents.ts';
import { ISSUER } from './tax-orders.ts';

/** 2026-11-20, 10:15 in El Salvador. */
export const NOW = new Date('2026-11-20T16:15:00Z');
export const PASSWORD = 'Clave-Del-Certificado-1';
export const PATIENT = '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d70';
export const PAYMENT = '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d71';
export const VOIDED_PAYMENT = '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d73';
export const OTHER_PATIENT = '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d75';
export const DEPENDANT = '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d76';
/** A record that was merged into PATIENT. */
export const MERGED_PATIENT = '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d74';
/** No clinic has it. */
export const UNKNOWN_APPOINTMENT = '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d72';

/** The mode in which the simulated authority closes connections without an answer. */
export const UNAVAILABLE = 'away'; // plain-words: away is its name in the simulator

type Authority = {
  url: string;
  /** Sets how the authority answers: from now on, or for the next `lasts` calls and as in `after` from then on. */
  mood(mood: string, lasts?: number, after?: string, slowMs?: number): Promise<void>;
  state(): Promise<{
    calls: Record<string, number>;
    documents: { nit: string; code: string; seal: string; isInvalid: boolean; contingency: boolean; controlNumber: string }[];
    events: number;
  }>;
  certificate(nit: string, password?: string): Promise<string>;
  forgetTokens(): Promise<void>;
  stop(): void;
};

async function startAuthority(): Promise<Authority> {
  const program = path.resolve(import.meta.dirname, '../../../scripts/dev/dte-simulator/main.ts');
  const child: ChildProcess = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODE_OPTIONS: '' } });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const [, ready] = /ready (\S+)/.exec(text) ?? [];
      if (ready) resolve(ready);
    });
    child.once('exit', () => reject(new Error('the simulated authority ended')));
  });
  const request = async (method: string, at: string, body?: object) => {
    const headers = { 'content-type': 'application/json', connection: 'close' };
    return (await fetch(url + at, { method, headers, ...(body && { body: JSON.stringify(body) }) })).json() as Promise<never>;
  };
  return {
    url,
    mood: async (mood, lasts, after, slowMs = 1_500) => void (await request('POST', '/simulator', { mood, slowMs, lasts, after })),
    state: () => request('GET', '/simulator'),
    certificate: async (nit, password = PASSWORD) => ((await request('POST', '/simulator/certificates', { nit, password })) as { xml: string }).xml,
    forgetTokens: async () => void (await request('DELETE', '/simulator/tokens')),
    stop: () => void child.kill(),
  };
}

/** `settings` may need the authority's address. `shared` is the authority of another office, which stops it. */
export async function startTaxOffice(settings: (authority: string) => Record<string, string> = () => ({}), shared?: Authority) {
  const clock = manualClock(NOW);
  const authority = shared ?? (await startAuthority());
  const mails: SendMailRequest[] = [];
  const patient = { fullName: 'Luis Pérez', isMerged: false };
  const appointment = { patientId: PATIENT };
  const payment: { patientId?: string | undefined } = {};
  const silent = { log: createLog('dependencies', 'silent'), constraints: {} };
  const unavailable = async (): Promise<never> => fail('UNAVAILABLE');
  const transport = localTransport([
    implement(silent, SubscriptionService, { applySubscription: unavailable }),
    implement(silent, MailService, {
      async sendMail(_app, request: SendMailRequest) {
        mails.push(request);
        return { id: randomUUID() };
      },
    }),
    implement(silent, LookupService, {
      async findPatient(_app, { id, followMerge }) {
        const found = followMerge && id === MERGED_PATIENT ? PATIENT : id;
        const exists = found === OTHER_PATIENT || found === DEPENDANT || (found === PATIENT && !patient.isMerged);
        const guardianId = found === DEPENDANT ? PATIENT : undefined;
        return exists ? { id: found, fullName: patient.fullName, guardianId } : fail('NOT_FOUND', 'Patient not found');
      },
      findAppointment: async (_app, { id }) =>
        id === UNKNOWN_APPOINTMENT ? fail('NOT_FOUND', 'Appointment not found') : { id, ...appointment, status: 'completed' },
      findAppointmentWithContact: unavailable,
      findPatients: unavailable,
      findPatientByPhone: unavailable,
      listUpcomingAppointments: unavailable,
      setRecallOptOut: unavailable,
      listPatientStates: unavailable,
      listAppointmentStates: unavailable,
    }),
    implement(silent, DentalLookupService, {
      async findPayment(_app, { id }) {
        if (id === VOIDED_PAYMENT) return { id, voidedAt: timestampFromDate(NOW) };
        return id === PAYMENT ? { id, ...payment } : fail('NOT_FOUND', 'Payment not found');
      },
    }),
  ]);
  const all = { DTE_API_BASE_URL: authority.url, ...settings(authority.url) };
  const dependencies = { identity: transport, scheduling: transport, dental: transport, messaging: transport };
  const service: TestService = await testService(billing, { clock, dependencies, settings: all });
  const owner = new pg.Pool({ connectionString: service.database.ownerUrl, max: 2, options: '-c search_path=billing' });
  owner.on('error', () => {});
  const read = testSettings(billing.settings, { ...service.database.urls('billing'), ...all });
  const log = createLog('billing', 'silent');
  const app = createApp({ settings: read, db: service.db, clock, log, transportTo: () => transport });
  const issuers = service.client(DteIssuerService);
  const documents = service.client(TaxDocumentService);
  /** Sweeps until the document has a status. On a busy machine the authority may answer too late at first. */
  async function sweepUntil(id: string, status: string): Promise<void> {
    await waitFor(async () => {
      await sweep(app);
      return (await owner.query('select 1 from dte_documents where id = $1 and status = $2', [id, status])).rows.length === 1;
    });
  }
  return {
    service,
    clock,
    authority,
    mails,
    /** PATIENT, the guardian of DEPENDANT; `isMerged`: into another patient. */
    patient,
    /** Any but UNKNOWN_APPOINTMENT. */
    appointment,
    /** PAYMENT; `patientId` is absent in a dental service of the previous release. */
    payment,
    app,
    issuers,
    receivers: service.client(DteReceiverService),
    documents,
    /** A clinic with its own taxpayer that may issue documents, and by default mails none of them, since each mail has a PDF. */
    async clinic(nit = randomNit(), issuer: object = {}) {
      const id = randomUUID();
      await issuers.setDteIssuer({ ...ISSUER, nit, mailReceivers: false, ...issuer }, asAdmin(id));
      await issuers.setDteCertificate({ certificate: await authority.certificate(nit), password: PASSWORD }, asAdmin(id));
      return { id, nit, user: (key?: string) => asUser(id, key === undefined ? {} : { key }) };
    },
    /** Issues a factura whose handover never begins, and commits after `beforeCommit`. Returns its id. */
    issueOnly: (clinicId: string, beforeCommit?: () => Promise<void>): Promise<string> =>
      inTenant(app.db, clinicId, async (tx) => {
        await lockIssuerKey(tx);
        const items = [{ description: 'Consulta', quantity: 1, unitPrice: 113, discount: 0, kind: 'service' as const }];
        const payment = { condition: 'cash' as const, methods: [{ code: '01', amount: 113, reference: null }], term: null };
        const order = { receiver: null, items, payment, notes: null, of: null };
        const document = { kind: '01' as const, order, pointOfSale: undefined, patientId: null, appointmentId: null, paymentId: null, relatedId: null };
        const id = await issueDocument(app, tx, serviceCaller('billing', randomUUID()), await getReadyIssuer(app, tx), document);
        await beforeCommit?.();
        return id;
      }),
    /** Runs the sweep that the job runs every minute. */
    sweep: () => sweep(app),
    sweepUntil,
    /** Issues a document that the authority has sealed. */
    async issueSealed(order: Parameters<typeof documents.checkout>[0], caller: ReturnType<typeof asUser>) {
      const issued = await documents.checkout(order, caller);
      if (issued.status === 'processed') return issued;
      await sweepUntil(issued.id, 'processed');
      return documents.getTaxDocument({ id: issued.id }, caller);
    },
    /** A query as the owner of the schema. */
    query: async (text: string, values: unknown[] = []) => (await owner.query(text, values)).rows,
    async stop() {
      await owner.end();
      await service.stop();
      if (!shared) authority.stop();
    },
  };
}

export type TaxOffice = Awaited<ReturnType<typeof startTaxOffice>>;

/** startTaxOffice() for the tests of a file, which share it: each begins at NOW with an authority that answers. */
export async function useTaxOffice(...settings: Parameters<typeof startTaxOffice>): Promise<TaxOffice> {
  const office = await startTaxOffice(...settings);
  afterAll(() => office.stop());
  beforeEach(async () => {
    office.clock.set(NOW);
    await office.authority.mood('answers');
  });
  return office;
}

export const randomNit = () => `0614${String(Math.floor(Math.random() * 1e10)).padStart(10, '0')}`;

/** The reason why a call fails; 'nothing' when it does not. */
export const reason = (sent: Promise<unknown>): Promise<string> =>
  sent.then(
    () => 'nothing',
    (error: { reason: string }) => error.reason,
  );
