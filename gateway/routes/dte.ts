import { ESTABLISHMENT, ESTABLISHMENT_RULE, POINT_OF_SALE, POINT_OF_SALE_RULE } from '@clinic/lib/formats/point-of-sale.ts';
import { TaxDocumentService } from '@clinic/proto/billing/v1/dte_document_pb.js';
import { DteIssuerService } from '@clinic/proto/billing/v1/dte_issuer_pb.js';
import { DteReceiverService } from '@clinic/proto/billing/v1/dte_receiver_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { clearable, date, email, limit, maybe, month, pages, search, text, trueOrFalse, uuid } from './schemas.ts';

const issuer = DteIssuerService.method;
const receivers = DteReceiverService.method;
const documents = TaxDocumentService.method;

const code = (digits: number) => z.string().regex(new RegExp(`^\\d{${digits}}$`), `must be ${digits} digits`);
const number = (least: number, most: number) => z.number().min(least).max(most);
const address = z.object({ department: code(2), municipality: code(2), district: code(2), line: text(200) });
const person = z.object({ name: text(100), documentType: code(2), documentNumber: text(25) });
const profile = {
  tradeName: maybe(text(150)),
  documentType: maybe(code(2)),
  documentNumber: maybe(text(25)),
  nrc: maybe(text(10)),
  activity: maybe(code(5)),
  address: address.nullish(),
  phone: maybe(text(30)),
  email: maybe(email),
  isLargeTaxpayer: z.boolean().nullish(),
};
const receiver = z.object({ name: text(200), ...profile });
const item = z.object({
  description: text(1000),
  quantity: z.number().positive().max(99_999_999),
  unitPrice: number(0, 99_999_999.99),
  discount: number(0, 99_999_999.99).nullish(),
  kind: maybe(z.enum(['service', 'good', 'both'])),
});
const items = z.array(item).min(1).max(200);
const payment = z.object({
  condition: maybe(z.enum(['cash', 'credit', 'other'])),
  methods: z
    .array(z.object({ code: code(2), amount: number(0, 999_999_999.99), reference: maybe(text(50)) }))
    .max(20)
    .nullable()
    .default([]),
  term: z.object({ unit: z.enum(['days', 'months', 'years']), count: z.int().min(1).max(3650) }).nullish(),
});
const pointOfSale = z.object({
  establishment: z.string().regex(ESTABLISHMENT, ESTABLISHMENT_RULE),
  code: z.string().regex(POINT_OF_SALE, POINT_OF_SALE_RULE),
});
const status = z.enum(['pending', 'processed', 'rejected', 'contingency', 'invalidated']);
const type = z.enum(['invoice', 'credit_fiscal', 'credit_note']);
const exampleItems = [{ description: 'Consulta y limpieza dental', quantity: 1, unitPrice: 113 }];

export const dte = area({
  prefix: '/api/dte',
  tag: 'Tax documents',
  about: 'Electronic tax documents (DTE) of El Salvador: facturas, créditos fiscales and notas de crédito, signed and transmitted to the tax authority.',
  all: { scope: 'tax_documents', feature: 'dte', notFound: 'Document not found' },
  routes: [
    { method: 'get', path: '/api/dte/issuer', rpc: issuer.getDteIssuer, summary: 'Get the issuer of tax documents' },
    {
      method: 'put',
      path: '/api/dte/issuer',
      rpc: issuer.setDteIssuer,
      summary: 'Set the issuer of tax documents',
      body: {
        environment: z.enum(['test', 'production']),
        nit: text(20),
        nrc: text(10),
        name: text(200),
        tradeName: maybe(text(150)),
        activity: maybe(code(5)),
        address,
        phone: text(30),
        email,
        isLargeTaxpayer: z.boolean().nullish(),
        responsible: person,
        pointsOfSale: z.array(pointOfSale).max(20).nullish(),
        mailReceivers: z.boolean().nullish(),
        provider: z.object({ user: text(100), password: text(200) }).nullish(),
      },
      errors: ['DTE_POINT_OF_SALE_TAKEN'],
      example: {
        environment: 'test',
        nit: '06140101901015',
        nrc: '1234567',
        name: 'Clínica Dental Sonrisa, S.A. de C.V.',
        activity: '86202',
        address: { department: '06', municipality: '23', district: '14', line: 'Calle de Prueba 123' },
        phone: '22220000',
        email: 'dte@example.com',
        responsible: { name: 'María Responsable', documentType: '13', documentNumber: '01234567-8' },
        provider: { user: '06140101901015', password: 'clave-de-la-api' },
      },
    },
    {
      method: 'put',
      path: '/api/dte/issuer/certificate',
      rpc: issuer.setDteCertificate,
      summary: 'Set the signing certificate',
      body: { certificate: text(200_000), password: z.string().min(1).max(200) },
      notFound: 'Issuer not found',
      example: { certificate: '<CertificadoMH>…</CertificadoMH>', password: 'clave-del-certificado' },
    },
    {
      method: 'post',
      path: '/api/dte/checkout',
      rpc: documents.checkout,
      summary: 'Issue a tax document',
      body: {
        type: z.enum(['invoice', 'credit_fiscal']),
        patientId: maybe(uuid),
        appointmentId: maybe(uuid),
        paymentId: maybe(uuid),
        receiver: receiver.nullish(),
        items,
        payment,
        notes: maybe(text(3000)),
        pointOfSale: pointOfSale.nullish(),
      },
      creates: true,
      notFound: 'Patient not found',
      errors: ['CONFLICT', 'DTE_NOT_CONFIGURED', 'DTE_REJECTED'],
      example: { type: 'invoice', items: exampleItems, payment: { methods: [{ code: '01', amount: 113 }] } },
    },
    {
      method: 'get',
      path: '/api/dte/documents',
      rpc: documents.listTaxDocuments,
      summary: 'List tax documents',
      query: {
        from: date.optional(),
        to: date.optional(),
        status: status.optional(),
        type: type.optional(),
        issued: trueOrFalse.optional(),
        patient_id: uuid.optional(),
        payment_id: uuid.optional(),
        search: search(100),
        ...pages,
      },
    },
    { method: 'get', path: '/api/dte/documents/:id.pdf', rpc: documents.getTaxDocumentPdf, summary: 'Get a tax document as PDF' },
    { method: 'get', path: '/api/dte/documents/:id.json', rpc: documents.getTaxDocumentJson, summary: 'Get a tax document as JSON' },
    { method: 'get', path: '/api/dte/documents/:id', rpc: documents.getTaxDocument, summary: 'Get a tax document' },
    {
      method: 'post',
      path: '/api/dte/documents/:id/correct',
      rpc: documents.correctTaxDocument,
      summary: 'Correct a rejected tax document',
      body: { receiver: receiver.nullish(), items: items.nullish(), payment: payment.nullish(), notes: clearable(text(3000)) },
      errors: ['DTE_NOT_CONFIGURED', 'DTE_NOT_ALLOWED', 'DTE_REJECTED'],
      example: { items: exampleItems },
    },
    {
      method: 'post',
      path: '/api/dte/documents/:id/invalidate',
      rpc: documents.invalidateTaxDocument,
      guards: ['voids_need_admin'],
      summary: 'Invalidate a tax document',
      body: { type: z.int().min(1).max(3), reason: maybe(text(200)), replacementId: maybe(uuid), requestedBy: person.nullish() },
      errors: ['DTE_NOT_CONFIGURED', 'DTE_NOT_ALLOWED', 'DTE_REJECTED'],
      example: { type: 2, reason: 'El paciente canceló la cita' },
    },
    {
      method: 'post',
      path: '/api/dte/documents/:id/credit-note',
      rpc: documents.createCreditNote,
      summary: 'Issue a credit note',
      body: { items: items.nullish(), notes: maybe(text(3000)) },
      creates: true,
      errors: ['DTE_NOT_CONFIGURED', 'DTE_NOT_ALLOWED', 'DTE_REJECTED'],
      example: { notes: 'Devolución' },
    },
    {
      method: 'post',
      path: '/api/dte/documents/:id/send',
      rpc: documents.sendTaxDocument,
      summary: 'Send a tax document by e-mail',
      body: { email: maybe(email) },
      errors: ['DTE_NOT_ALLOWED'],
      example: { email: 'paciente@example.com' },
    },
    { method: 'delete', path: '/api/dte/documents/:id/links', rpc: documents.revokeTaxDocumentLinks },
    {
      method: 'get',
      path: '/api/dte/books/:book',
      rpc: documents.getTaxBook,
      guards: ['exports_need_admin', 'revenue_hidden_from_receptionists'],
      summary: 'Get the tax book of a month as CSV',
      params: { book: z.enum(['consumers', 'taxpayers']) },
      query: { month, nit: text(20).optional() },
      notFound: 'Issuer not found',
    },
    {
      method: 'get',
      path: '/api/dte/catalogs/:code',
      rpc: receivers.listDteCatalog,
      summary: 'Search a catalogue of the tax authority',
      params: { code: z.string().regex(/^(cat-)?\d{3}$/i, 'must be like CAT-019') },
      query: { search: search(100), department: code(2).optional(), limit: limit(500, 2000) },
      notFound: 'Catalog not found',
    },
    {
      method: 'get',
      path: '/api/dte/shared/:token.:format',
      rpc: documents.openTaxDocument,
      feature: undefined, // patients open the link, whatever the plan of the clinic
      rate: 'feed',
      summary: 'Download a tax document by its shared link',
      params: { token: z.string().regex(/^[\w-]{1,100}$/), format: z.enum(['pdf', 'json']) },
    },
  ],
});

export const taxProfiles = area({
  prefix: '/api/patients',
  tag: 'Tax profiles',
  about: 'The data of a patient as the receiver of tax documents.',
  all: { scope: 'tax_documents', feature: 'dte', notFound: 'Patient not found' },
  routes: [
    { method: 'get', path: '/api/patients/:id/tax-profile', rpc: receivers.getTaxProfile },
    {
      method: 'put',
      path: '/api/patients/:id/tax-profile',
      rpc: receivers.setTaxProfile,
      body: { name: maybe(text(200)), ...profile },
      errors: ['CONFLICT'],
      example: { documentType: '13', documentNumber: '01234567-8', email: 'paciente@example.com' },
    },
  ],
});
