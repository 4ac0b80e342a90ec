// The arithmetic of totals against the same in integers, and the checks of items, payments and receivers.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { catalogs, consumer, issuer, items, registered, taxpayer } from '../../testing/arbitraries.ts';
import { Decimal } from './amounts.ts';
import { issuerFault } from './issuer.ts';
import { partsFault } from './order.ts';
import { paidFault, paymentFault, toPagos } from './payment.ts';
import { receiverFault, requiredReceiverFault } from './receiver.ts';
import { type Item, itemsFault, totalsFault, totalsOf } from './totals.ts';

const one = (unitPrice: number, quantity = 1, discount = 0): Item[] => [{ description: 'Limpieza', quantity, unitPrice, discount, kind: 'service' }];

// Exact integers of 10⁻¹⁶, the unit of a price with 8 decimals times a quantity with 8 decimals.
const SCALE = 10n ** 16n;
const exact8 = (value: number) => BigInt(new Decimal(value).times(1e8).toFixed(0));
const salesOf = (cart: Item[]) =>
  cart.reduce((all, { quantity, unitPrice, discount }) => all + exact8(unitPrice) * exact8(quantity) - exact8(discount) * 10n ** 8n, 0n);
const toCents = (scaled: bigint) => Number((scaled * 100n * 2n + SCALE) / (2n * SCALE));

test('the generated items, issuer and receivers have no faults', () => {
  expect(issuerFault(catalogs, issuer)).toBeUndefined();
  fc.assert(fc.property(items, (cart) => itemsFault(cart) === undefined));
  fc.assert(fc.property(fc.oneof(consumer, registered), (receiver) => receiverFault(catalogs, receiver) === undefined));
});

describe('totals', () => {
  test('of a factura and of a crédito fiscal agree with integers to the cent', () => {
    fc.assert(
      fc.property(items, (cart) => {
        const sales = toCents(salesOf(cart));
        const consumer = totalsOf('01', cart, false);
        expect(consumer.sales.times(100).toNumber()).toBe(sales);
        expect(consumer.operation.eq(consumer.sales)).toBe(true);
        // Included IVA, computed from the total instead of by line.
        expect(Math.abs(consumer.iva.times(100).toNumber() - Math.round((sales * 13) / 113))).toBeLessThanOrEqual(1);

        const taxed = totalsOf('03', cart, false);
        const iva = Math.floor((sales * 13 * 2 + 100) / 200);
        expect(taxed.iva.times(100).toNumber()).toBe(iva);
        expect(taxed.toPay.times(100).toNumber()).toBe(sales + iva);
      }),
    );
  });

  test('the lines add up to the summary', () => {
    fc.assert(
      fc.property(items, fc.constantFrom('01' as const, '03' as const), (cart, kind) => {
        const { lines, sales } = totalsOf(kind, cart, false);
        const sum = lines.reduce((all, { sale }) => all.plus(sale), new Decimal(0));
        return sum.minus(sales).abs().lte('0.005') && lines.every(({ sale, iva }) => sale.gte(0) && iva.gte(0));
      }),
    );
  });

  test('half a cent is rounded up', () => {
    expect(totalsOf('01', one(5.665), false).sales.toFixed(2)).toBe('5.67');
  });

  test('a large taxpayer withholds 1 % of the net price from 100 on', () => {
    expect(totalsOf('03', one(100), true)).toMatchObject({ words: 'CIENTO DOCE 00/100 DÓLARES' });
    expect(totalsOf('03', one(100), true).withheld.toFixed(2)).toBe('1.00');
    expect(totalsOf('03', one(99.99), true).withheld.isZero()).toBe(true);
    expect(totalsOf('01', one(113), true).withheld.toFixed(2)).toBe('1.00');
    expect(totalsOf('01', one(112.9), true).withheld.isZero()).toBe(true);
    expect(totalsOf('03', one(100), false).withheld.isZero()).toBe(true);
  });

  test.each([
    ['01', one(99_999_999.99, 9), undefined],
    ['03', one(99_999_999.99, 9), 'items'],
    ['05', one(99_999_999.99, 9), 'items'],
    ['01', [...one(99_999_999.99, 10), ...one(0.09)], undefined],
    ['01', [...one(99_999_999.99, 10), ...one(0.1)], 'items'],
    ['01', [...one(99_999_999.99, 11), ...one(10, 1, 10)], 'items'],
    ['03', one(88_495_575.22, 10), undefined], // 999,999,999.99 with IVA
    ['03', one(88_495_575.221, 10), 'items'],
  ] as const)('the largest total, IVA included, is 999,999,999.99: %s %j', (kind, cart, path) => {
    expect(partsFault(catalogs, { items: [...cart] }, kind)?.path).toBe(path);
  });

  test('items that no document can contain are refused', () => {
    expect(itemsFault([])?.path).toBe('items');
    expect(itemsFault(one(10, 0))?.path).toBe('items.0.quantity');
    expect(itemsFault(one(-1))?.path).toBe('items.0.unitPrice');
    expect(itemsFault(one(Number.NaN))?.path).toBe('items.0.unitPrice');
    expect(itemsFault(one(10, 1, 10.01))?.path).toBe('items.0.discount');
    expect(itemsFault(one(0.000000001))?.path).toBe('items.0.unitPrice');
    for (const kind of ['01', '03', '05'] as const) {
      for (const nothing of [one(0), one(0.001), one(10, 2, 20)]) expect(totalsFault(totalsOf(kind, nothing, false))?.path).toBe('items');
      expect(totalsFault(totalsOf(kind, one(0.01), false))).toBeUndefined();
    }
  });
});

describe('payment', () => {
  const due = new Decimal(113);
  const card = { code: '03', amount: 113, reference: 'V-1' };

  test('adds up to the total', () => {
    expect(paidFault({ condition: 'cash', methods: [card], term: null }, due)).toBeUndefined();
    expect(paidFault({ condition: 'cash', methods: [{ ...card, amount: 112.99 }], term: null }, due)?.path).toBe('payment.methods');
    expect(paymentFault(catalogs, { condition: 'cash', methods: [card], term: null })).toBeUndefined();
    expect(paymentFault(catalogs, { condition: 'cash', methods: [], term: null })?.path).toBe('payment.methods');
    expect(paymentFault(catalogs, { condition: 'cash', methods: [{ ...card, code: '01' }], term: null })?.path).toBe('payment.methods.0.reference');
    expect(paymentFault(catalogs, { condition: 'cash', methods: [{ ...card, code: '77' }], term: null })?.path).toBe('payment.methods.0.code');
  });

  test('on credit has a term, which each method contains', () => {
    expect(paymentFault(catalogs, { condition: 'credit', methods: [], term: null })?.path).toBe('payment.term');
    const credit = { condition: 'credit' as const, methods: [], term: { unit: 'months' as const, count: 2 } };
    expect(paymentFault(catalogs, credit) ?? paidFault(credit, due)).toBeUndefined();
    expect(toPagos(credit, due)).toEqual([{ codigo: '13', montoPago: 113, referencia: null, plazo: '02', periodo: 2 }]);
  });
});

describe('receivers', () => {
  const threshold = new Decimal(1095);
  test('are named in a factura from the threshold on', () => {
    expect(requiredReceiverFault('01', 'current', null, new Decimal('1094.99'), threshold)).toBeUndefined();
    expect(requiredReceiverFault('01', 'current', null, new Decimal('1095'), threshold)?.path).toBe('receiver');
    expect(requiredReceiverFault('01', 'current', { ...taxpayer, documentType: null, documentNumber: null }, new Decimal('1095'), threshold)?.path).toBe(
      'receiver.documentNumber',
    );
    expect(requiredReceiverFault('01', 'current', null, new Decimal('1200'), new Decimal('1226.40'))).toBeUndefined();
    expect(requiredReceiverFault('01', 'legacy', null, new Decimal('1200'), new Decimal('1226.40'))?.path).toBe('receiver');
  });

  test('and issuers have e-mail addresses and numbers that every schema accepts', () => {
    for (const email of ['ana@clínica.com', 'ñandu@example.com', '"ana rivas"@example.com', '.ana@example.com', 'ana@-a.com', 'a@b.c']) {
      expect({ email, fault: receiverFault(catalogs, { ...taxpayer, email })?.path }).toEqual({ email, fault: 'receiver.email' });
      expect(issuerFault(catalogs, { ...issuer, email })?.path).toBe('email');
    }
    for (const email of ["o'brien+caja@sub.example-1.com", 'ANA@EXAMPLE.COM']) expect(receiverFault(catalogs, { ...taxpayer, email })).toBeUndefined();
    const responsible = { name: 'María Responsable', documentType: '02', documentNumber: '1234' };
    expect(issuerFault(catalogs, { ...issuer, responsible })?.path).toBe('responsible.documentNumber');
  });

  test('of a crédito fiscal are taxpayers', () => {
    expect(requiredReceiverFault('03', 'current', taxpayer, new Decimal(1), threshold)).toBeUndefined();
    expect(requiredReceiverFault('03', 'current', null, new Decimal(1), threshold)?.path).toBe('receiver');
    for (const field of ['nrc', 'activity', 'address', 'email'])
      expect(requiredReceiverFault('03', 'current', { ...taxpayer, [field]: null }, new Decimal(1), threshold)?.path).toBe(`receiver.${field}`);
    expect(requiredReceiverFault('03', 'current', { ...taxpayer, documentType: '13', documentNumber: '012345678' }, new Decimal(1), threshold)?.path).toBe(
      'receiver.documentNumber',
    );
  });
});
