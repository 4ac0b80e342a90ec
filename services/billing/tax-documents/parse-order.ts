// Parses the parts of an order from a request.
import { invalid } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { toSingleLine } from '@clinic/lib/formats/person-name.ts';
import type { TaxItem, TaxPayment } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { DteAddress, DtePerson } from '@clinic/proto/billing/v1/dte_issuer_pb.js';
import type { TaxReceiver } from '@clinic/proto/billing/v1/dte_receiver_pb.js';
import type { Address } from './rules/address.ts';
import { digits, normalizeNumber, type Person } from './rules/id-numbers.ts';
import type { Payment } from './rules/payment.ts';
import type { Receiver } from './rules/receiver.ts';
import type { Item } from './rules/totals.ts';

/** The trimmed text; null when absent or blank. */
export const orNull = (text: string | undefined): string | null => text?.trim() || null;

export function parseAddress(path: string, address: DteAddress | undefined): Address {
  if (!address) return invalid(path, 'is required');
  const { department, municipality, district, line } = address;
  return { department, municipality, district, line: line.trim() };
}

export const parsePerson = ({ name, documentType, documentNumber }: DtePerson): Person => ({
  name: toSingleLine(name),
  documentType,
  documentNumber: normalizeNumber(documentType, documentNumber),
});

type ReceiverRequest = Omit<TaxReceiver, '$typeName' | '$unknown' | 'name'> & { name?: string | undefined };

/** `defaultName` is used when the request has no name. */
export function parseReceiver(request: ReceiverRequest, defaultName = ''): Receiver {
  const documentType = orNull(request.documentType);
  const number = orNull(request.documentNumber);
  return {
    name: toSingleLine(request.name ?? '') || defaultName,
    tradeName: orNull(request.tradeName && toSingleLine(request.tradeName)),
    documentType,
    documentNumber: number && normalizeNumber(documentType ?? '', number),
    nrc: orNull(request.nrc && digits(request.nrc)),
    activity: orNull(request.activity),
    address: request.address ? parseAddress('receiver.address', request.address) : null,
    phone: orNull(request.phone),
    email: orNull(request.email),
    isLargeTaxpayer: request.isLargeTaxpayer,
  };
}

export const parseItems = (items: TaxItem[]): Item[] =>
  items.map(({ description, quantity, unitPrice, discount, kind }, index) => ({
    description: description.trim(),
    quantity,
    unitPrice,
    discount,
    kind: parseOneOf(`items.${index}.kind`, kind ?? 'service', ['service', 'good', 'both']),
  }));

export function parsePayment(payment: TaxPayment | undefined): Payment {
  const term = payment?.term;
  return {
    condition: parseOneOf('payment.condition', payment?.condition ?? 'cash', ['cash', 'credit', 'other']),
    methods: (payment?.methods ?? []).map(({ code, amount, reference }) => ({ code, amount, reference: orNull(reference) })),
    term: term ? { unit: parseOneOf('payment.term.unit', term.unit, ['days', 'months', 'years']), count: term.count } : null,
  };
}
