// Reads what a request asks for into what the rules work on.

import { invalid } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import type { TaxItem, TaxPayment } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { DteAddress, DtePerson } from '@clinic/proto/billing/v1/dte_issuer_pb.js';
import type { TaxReceiver } from '@clinic/proto/billing/v1/dte_receiver_pb.js';
import type { Address } from './rules/address.ts';
import type { Item } from './rules/totals.ts';
import { digits, plainNumber } from './rules/id-numbers.ts';
import type { Payment } from './rules/payment.ts';
import type { Receiver } from './rules/receiver.ts';

/** Null when absent or blank. */
export const orNull = (text: string | undefined): string | null => text?.trim() || null;

export function readAddress(path: string, address: DteAddress | undefined): Address {
  if (!address) return invalid(path, 'is required');
  const { department, municipality, district, line } = address;
  return { department, municipality, district, line: line.trim() };
}

export const readPerson = ({ name, documentType, documentNumber }: DtePerson) => ({
  name: name.trim(),
  documentType,
  documentNumber: plainNumber(documentType, documentNumber),
});

type Asked = Omit<TaxReceiver, '$typeName' | '$unknown' | 'name'> & { name?: string | undefined };

/** `name` stands in for one that is not given. */
export function readReceiver(asked: Asked, name = ''): Receiver {
  const documentType = orNull(asked.documentType);
  const number = orNull(asked.documentNumber);
  return {
    name: asked.name?.trim() || name,
    tradeName: orNull(asked.tradeName),
    documentType,
    documentNumber: number && plainNumber(documentType ?? '', number),
    nrc: orNull(asked.nrc && digits(asked.nrc)),
    activity: orNull(asked.activity),
    address: asked.address ? readAddress('receiver.address', asked.address) : null,
    phone: orNull(asked.phone),
    email: orNull(asked.email),
    isLargeTaxpayer: asked.isLargeTaxpayer,
  };
}

export const readItems = (items: TaxItem[]): Item[] =>
  items.map(({ description, quantity, unitPrice, discount, kind }, index) => ({
    description: description.trim(),
    quantity,
    unitPrice,
    discount,
    kind: parseOneOf(`items.${index}.kind`, kind ?? 'service', ['service', 'good', 'both']),
  }));

export function readPayment(asked: TaxPayment | undefined): Payment {
  const term = asked?.term;
  return {
    condition: parseOneOf('payment.condition', asked?.condition ?? 'cash', ['cash', 'credit', 'other']),
    methods: (asked?.methods ?? []).map(({ code, amount, reference }) => ({ code, amount, reference: orNull(reference) })),
    term: term ? { unit: parseOneOf('payment.term.unit', term.unit, ['days', 'months', 'years']), count: term.count } : null,
  };
}

export function showReceiver(receiver: Receiver) {
  const { name, isLargeTaxpayer, ...rest } = receiver;
  const known = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  return { name, isLargeTaxpayer, ...known };
}
