// Every kind of built document against the official schemas, which are read from DTE_SCHEMA_DIR or a folder beside the project. Without
// them these tests are skipped, and the printed count says so.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { catalogs, consumer, dui, issuer, items, registered, taxpayer } from '../../testing/arbitraries.ts';
import { Decimal } from './amounts.ts';
import { buildDocument } from './build-document.ts';
import { buildContingencyEvent } from './contingency-event.ts';
import { controlNumber } from './document-numbers.ts';
import { inContingency } from './identification.ts';
import { buildInvalidationEvent, type Invalidation } from './invalidation-event.ts';
import type { Generation, Kind } from './kinds.ts';
import type { Order } from './order.ts';
import type { Payment } from './payment.ts';
import { type Receiver, requiredReceiverFault } from './receiver.ts';
import { type Item, totalsFault, totalsOf } from './totals.ts';

const beside = path.resolve(import.meta.dirname, '../../../../../shared/reference/dte');
const folder = [process.env.DTE_SCHEMA_DIR, beside].find((one) => one && existsSync(path.join(one, 'legacy-2022-2025')));
const counted = new Map<string, number>();
const officially = folder ? test : test.skip;

const FILES = {
  legacy: { '01': 'fe-fc-v1', '03': 'fe-ccf-v3', '05': 'fe-nc-v3', invalidation: 'anulacion-schema-v2', contingency: 'contingencia-schema-v3' },
  current: {
    '01': 'v2/fe-f-v2',
    '03': 'v4/fe-ccf-v4',
    '05': 'v4/fe-nc-v4',
    invalidation: 'v3/invalidacion-schema-v3',
    contingency: 'v4/contingencia-schema-v4',
  },
} as const;
const FOLDERS = { legacy: 'legacy-2022-2025', current: 'current-2026' } as const;

const compiled = new Map<string, ReturnType<Ajv['compile']>>();

function check(generation: Generation, kind: keyof (typeof FILES)['legacy'], document: object): void {
  const name = FILES[generation][kind];
  let validate = compiled.get(name);
  if (!validate) {
    const ajv = new Ajv({ strict: false, multipleOfPrecision: 6, allErrors: true });
    (addFormats as unknown as (ajv: Ajv) => void)(ajv);
    // ajv divides doubles and refuses 139.79 as a multiple of 1e-8, so this keyword is checked with decimals.
    ajv.removeKeyword('multipleOf');
    ajv.addKeyword({ keyword: 'multipleOf', type: 'number', validate: (step: number, value: number) => new Decimal(value).mod(step).isZero() });
    validate = ajv.compile(JSON.parse(readFileSync(path.join(folder ?? '', FOLDERS[generation], `${name}.json`), 'utf8')));
    compiled.set(name, validate);
  }
  validate(document);
  expect({ faults: validate.errors ?? [], name }).toEqual({ faults: [], name });
  counted.set(name, (counted.get(name) ?? 0) + 1);
}

afterAll(() => {
  const all = [...counted.values()].reduce((sum, count) => sum + count, 0);
  const kinds = [...counted].map(([name, count]) => `${name} ${count}`).join(', ');
  process.stderr.write(folder ? `checked ${all} documents of ${counted.size} kinds: ${kinds}\n` : 'checked 0 documents of 0 kinds: no official schemas here\n');
});

const generation = fc.constantFrom<Generation>('legacy', 'current');
const CODE = 'A1B2C3D4-E5F6-4A7B-8C9D-0E1F2A3B4C5D';
const POINT_OF_SALE = { establishment: 'M001', code: 'P001' };
const head = <K extends Kind>(kind: K, generation: Generation) => ({
  kind,
  generation,
  environment: '00' as const,
  controlNumber: controlNumber(kind, 'M001', 'P001', 1n),
  code: CODE,
  day: '2026-11-20',
  time: '10:15:00',
});

const cash = (toPay: number): Payment => ({ condition: 'cash', methods: toPay > 0 ? [{ code: '01', amount: toPay, reference: null }] : [], term: null });
const credit: Payment = { condition: 'credit', methods: [], term: { unit: 'days', count: 30 } };

function saleOf(kind: '01' | '03', generation: Generation, items: Item[], receiver: Receiver | null, onCredit = false, notes: string | null = null) {
  const totals = totalsOf(kind, items, receiver?.isLargeTaxpayer ?? false);
  const payment = onCredit ? credit : cash(totals.toPay.toNumber());
  const order: Order = { receiver, items, payment, notes, of: null };
  return buildDocument(catalogs, head(kind, generation), issuer, POINT_OF_SALE, order, totals);
}

const single = (unitPrice: number): Item[] => [{ description: 'Consulta y limpieza dental', quantity: 1, unitPrice, discount: 0, kind: 'service' }];
const notes = fc.option(fc.constant('Gracias por su visita'), { nil: null });

describe('documents', () => {
  const samples = [
    ['01', 'legacy', 'vector_fe-fc-v1_113', 113],
    ['01', 'current', 'vector_fe-f-v2_113', 113],
    ['03', 'legacy', 'vector_fe-ccf-v3_100', 100],
    ['03', 'current', 'vector_fe-ccf-v4_100', 100],
  ] as const;
  officially.each(samples)('%s %s is the sample %s', (kind, generation, file, price) => {
    const expected = JSON.parse(readFileSync(path.join(folder ?? '', 'samples', `${file}.json`), 'utf8'));
    const built = saleOf(kind, generation, single(price), kind === '03' ? taxpayer : null);
    check(generation, kind, built);
    expect(built).toEqual(expected);
  });

  officially('a factura of any cart, with and without a receiver', () => {
    fc.assert(
      fc.property(
        generation,
        items,
        fc.option(consumer, { nil: null }),
        fc.boolean(),
        notes,
        fc.boolean(),
        (generation, cart, receiver, onCredit, notes, deferred) => {
          const totals = totalsOf('01', cart, receiver?.isLargeTaxpayer ?? false);
          if (totalsFault(totals) || requiredReceiverFault('01', generation, receiver, totals.operation, new Decimal(1095))) return;
          const built = saleOf('01', generation, cart, receiver, onCredit, notes);
          check(generation, '01', deferred ? inContingency(built, { type: 5, reason: 'Sin servicio' }) : built);
        },
      ),
      { numRuns: 200 },
    );
  });

  officially('a crédito fiscal of any cart', () => {
    fc.assert(
      fc.property(generation, items, registered, fc.boolean(), notes, fc.boolean(), (generation, cart, receiver, onCredit, notes, deferred) => {
        if (totalsFault(totalsOf('03', cart, receiver.isLargeTaxpayer))) return;
        const built = saleOf('03', generation, cart, receiver, onCredit, notes);
        check(generation, '03', deferred ? inContingency(built, { type: 1, reason: null }) : built);
      }),
      { numRuns: 200 },
    );
  });

  officially('a nota de crédito of any cart', () => {
    fc.assert(
      fc.property(generation, items, registered, notes, (generation, cart, receiver, notes) => {
        const totals = totalsOf('05', cart, false);
        if (totalsFault(totals)) return;
        const of = { code: CODE, day: '2026-11-19' };
        const order: Order = { receiver, items: cart, payment: cash(0), notes, of };
        check(generation, '05', buildDocument(catalogs, head('05', generation), issuer, POINT_OF_SALE, order, totals));
      }),
      { numRuns: 100 },
    );
  });

  officially('an invalidation of any document', () => {
    fc.assert(
      fc.property(
        generation,
        fc.option(consumer, { nil: null }),
        dui,
        fc.constantFrom(1 as const, 2 as const, 3 as const),
        (generation, receiver, number, type) => {
          const event: Invalidation = {
            generation,
            code: CODE,
            day: '2026-11-20',
            time: '11:00:00',
            issuer,
            pointOfSale: POINT_OF_SALE,
            document: {
              kind: '01',
              code: CODE,
              seal: 'A'.repeat(40),
              controlNumber: controlNumber('01', 'M001', 'P001', 7n),
              day: '2026-11-19',
              iva: new Decimal('13'),
              receiver: receiver && { ...receiver, documentType: receiver.documentType ?? '37', documentNumber: receiver.documentNumber ?? '000' },
            },
            type,
            reason: 'Cobro equivocado',
            replacement: type === 2 ? null : CODE,
            requestedBy: { name: 'Ana Recepción', documentType: '13', documentNumber: number },
          };
          check(generation, 'invalidation', buildInvalidationEvent(event));
        },
      ),
    );
  });

  officially('a contingency of many documents', () => {
    fc.assert(
      fc.property(generation, fc.integer({ min: 1, max: 60 }), (generation, count) => {
        const documents = Array.from({ length: count }, () => ({ kind: '01' as const, code: CODE }));
        const [from, to] = [
          { day: '2026-11-20', time: '10:00:00' },
          { day: '2026-11-20', time: '12:30:00' },
        ];
        const contingency = { type: 1 as const, reason: null };
        check(
          generation,
          'contingency',
          buildContingencyEvent({ generation, code: CODE, sent: to, issuer, pointOfSale: POINT_OF_SALE, from, to, documents, contingency }),
        );
      }),
    );
  });
});
