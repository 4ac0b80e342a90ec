// Files of documents: as JSON, as PDF, in mails, and behind the links in mails.
import { createHmac, hkdfSync, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { asAdmin, asAnonymous } from '@clinic/lib/testing/callers.ts';
import { textOfPdf } from '@clinic/lib/testing/pdf-text.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { describe, expect, test } from '@jest/globals';
import { NOW, randomNit, reason, UNAVAILABLE, useTaxOffice } from '../testing/tax-office.ts';
import { CREDIT, INVOICE, ISSUER, TAXPAYER } from '../testing/tax-orders.ts';

const office = await useTaxOffice();

const DAY = 86_400_000;

describe('files', () => {
  test('are the JSON with signature and seal, and a PDF with the names as they are written', async () => {
    const { user } = await office.clinic();
    const items = [
      ...CREDIT.items,
      { description: 'Resina compuesta en pieza 16, tres superficies, con aislamiento absoluto y anestesia', quantity: 2, unitPrice: 33.333333, discount: 5.5 },
      { description: 'Cepillo dental', quantity: 3, unitPrice: 2.25, kind: 'good' },
    ];
    const order = {
      ...CREDIT,
      items,
      receiver: { ...TAXPAYER, name: 'Łukasz Żółć, S.A.', isLargeTaxpayer: true },
      payment: { condition: 'credit', term: { unit: 'days', count: 30 } },
      notes: 'Gracias',
    };
    const { id, selloRecibido, jws } = await office.documents.checkout(order, user());
    const json = JSON.parse(new TextDecoder().decode((await office.documents.getTaxDocumentJson({ id }, user())).content));
    expect(json).toMatchObject({ firmaElectronica: jws, selloRecibido, identificacion: { tipoDte: '03' } });
    const pdf = await office.documents.getTaxDocumentPdf({ id }, user());
    expect(pdf.contentType).toBe('application/pdf');
    const text = textOfPdf(pdf.content);
    for (const shown of ['Łukasz Żółć, S.A.', 'CIENTO OCHENTA Y OCHO 07/100 DÓLARES', selloRecibido, 'PRUEBA']) expect(text).toContain(shown);
    expect(text.match(/\$5\.50/g)).toHaveLength(1);
    expect(text).toContain('$61.166666'); // with all decimals, so that the lines add up to the total
    expect(text).toContain('a 30 días');
    if (process.env.PDF_PREFIX) writeFileSync(`${process.env.PDF_PREFIX}-credit.pdf`, pdf.content);
  });

  test('exist for every kind and status, also over several pages', async () => {
    const { user } = await office.clinic();
    const items = Array.from({ length: 70 }, (_, n) => ({ description: `Procedimiento ${n} ñandú 😀 漢`, quantity: 1.5, unitPrice: 1.2345, kind: 'service' }));
    const toPay = Math.round(1.5 * 1.2345 * 70 * 100 + 1e-6) / 100;
    const onCredit = (unit: string) => ({ condition: 'credit', term: { unit, count: 1 } });
    const methods = [{ code: '03', amount: toPay, reference: 'V-77' }];
    const long = await office.documents.checkout({ type: 'invoice', items, payment: { ...onCredit('months'), methods } }, user());
    const credit = await office.documents.checkout({ ...CREDIT, payment: onCredit('days') }, user());
    const note = await office.documents.createCreditNote({ id: credit.id, notes: 'Devolución' }, user());
    await office.documents.invalidateTaxDocument({ id: note.id, type: 2 }, user());
    await office.authority.mood('refuses');
    await expect(office.documents.checkout(INVOICE, user())).rejects.toMatchObject({ reason: 'DTE_REJECTED' });
    const [rejected] = (await office.documents.listTaxDocuments({ status: 'rejected' }, user())).documents;
    await office.authority.mood(UNAVAILABLE);
    const deferred = await office.documents.checkout({ ...INVOICE, payment: onCredit('years') }, user());
    const expected: [name: string, document: { id: string } | undefined, texts: string[]][] = [
      ['long', long, ['ref. V-77, a 1 mes)', '$1.85175']],
      ['daily', credit, ['(a 1 día)']],
      ['note', note, ['Devolución']],
      ['rejected', rejected, ['el documento fue rechazado']],
      ['deferred', deferred, ['(a 1 año)', 'emitido en contingencia']],
    ];
    for (const [name, document, texts] of expected) {
      const { content } = await office.documents.getTaxDocumentPdf({ id: document?.id ?? '' }, user());
      for (const text of texts) expect(textOfPdf(content)).toContain(text);
      if (process.env.PDF_PREFIX) writeFileSync(`${process.env.PDF_PREFIX}-${name}.pdf`, content);
    }
  });

  test('are mailed to the receiver once the document is sealed, unless the clinic sends its documents itself', async () => {
    const mailed = (id: string) => office.mails.filter(({ reference }) => reference === `${id}:sealed`);
    const silent = await office.clinic(randomNit(), { mailReceivers: false });
    const unsent = await office.documents.checkout(CREDIT, silent.user());
    const { user } = await office.clinic(randomNit(), { mailReceivers: undefined });
    await office.authority.mood(UNAVAILABLE);
    const late = await office.documents.checkout(CREDIT, user());
    expect(mailed(late.id)).toEqual([]);
    await office.authority.mood('answers');
    const nobody = await office.documents.checkout(INVOICE, user());
    const { id, codigoGeneracion } = await office.documents.checkout(CREDIT, user());
    await waitFor(() => mailed(id).length === 1);
    await office.sweepUntil(late.id, 'processed');
    await waitFor(() => mailed(late.id).length === 1);
    expect(mailed(id)[0]).toMatchObject({ to: TAXPAYER.email });
    const [pdf, json] = mailed(id)[0]?.attachments ?? [];
    expect(pdf).toMatchObject({ filename: `${codigoGeneracion}.pdf`, contentType: 'application/pdf' });
    expect(Buffer.from(pdf?.content ?? []).toString('latin1')).toMatch(/^%PDF/);
    expect(JSON.parse(new TextDecoder().decode(json?.content))).toMatchObject({ identificacion: { codigoGeneracion }, selloRecibido: expect.any(String) });
    expect([...mailed(nobody.id), ...mailed(unsent.id)]).toEqual([]);
  });

  test('reach the receiver by a link in a mail', async () => {
    const { id: clinicId, user } = await office.clinic();
    const { id, codigoGeneracion } = await office.documents.checkout(CREDIT, user());
    expect(await office.documents.sendTaxDocument({ id }, user())).toMatchObject({ sent: true });
    const mail = office.mails.findLast(({ reference }) => reference.startsWith(`${id}:`));
    expect(mail).toMatchObject({ kind: 'document', to: TAXPAYER.email, parameters: { name: TAXPAYER.name, clinic: 'CLINICA DE PRUEBA' } });
    const token = tokenOf(mail);
    const opened = await office.documents.openTaxDocument({ token, format: 'json' }, asAnonymous());
    expect(new TextDecoder().decode(opened.content)).toContain(codigoGeneracion);
    const forged = token.slice(0, -2) + (token.endsWith('AA') ? 'BB' : 'AA');
    expect(await reason(office.documents.openTaxDocument({ token: forged, format: 'pdf' }, asAnonymous()))).toBe('NOT_FOUND');
    const anonymous = await office.documents.checkout(INVOICE, user());
    expect(await reason(office.documents.sendTaxDocument({ id: anonymous.id }, user()))).toBe('VALIDATION_ERROR');
    expect(await office.documents.sendTaxDocument({ id: anonymous.id, email: 'luis@example.com' }, user())).toMatchObject({ sent: true });
    // Also while the issuer, with another NIT, has no certificate.
    await office.issuers.setDteIssuer({ ...ISSUER, nit: randomNit() }, asAdmin(clinicId));
    expect(await office.documents.sendTaxDocument({ id }, user())).toMatchObject({ sent: true });
  });

  test('cannot be opened by a link that has expired or was revoked', async () => {
    const { id: clinicId, user } = await office.clinic();
    const { id } = await office.documents.checkout(CREDIT, user());
    const mailLink = async () => {
      await office.documents.sendTaxDocument({ id }, user());
      return tokenOf(office.mails.findLast(({ reference }) => reference.startsWith(`${id}:`)));
    };
    const opens = async (token: string) => (await reason(office.documents.openTaxDocument({ token, format: 'json' }, asAnonymous()))) === 'nothing';
    office.clock.advance(DAY);
    const first = await mailLink();
    const earlier = tokenOfEarlierRelease(clinicId, id);
    office.clock.advance(89 * DAY - 1);
    expect([await opens(first), await opens(earlier)]).toEqual([true, true]);
    office.clock.advance(1);
    expect([await opens(first), await opens(earlier)]).toEqual([true, false]);
    const second = await mailLink();
    office.clock.advance(DAY);
    expect([await opens(first), await opens(second)]).toEqual([false, true]);

    const other = await office.clinic();
    for (const [document, caller] of [
      [id, other.user()],
      [randomUUID(), user()],
      ['x', user()],
    ] as const)
      expect(await reason(office.documents.revokeTaxDocumentLinks({ id: document }, caller))).toBe('NOT_FOUND');
    expect(await opens(second)).toBe(true);
    await office.documents.revokeTaxDocumentLinks({ id }, user());
    expect(await opens(second)).toBe(false);
    const third = await mailLink();
    expect([await opens(second), await opens(third)]).toEqual([false, true]);
    office.clock.set(NOW);
    expect(await opens(tokenOfEarlierRelease(clinicId, id))).toBe(false);
  });
});

const tokenOf = (mail: { parameters: Record<string, string> } | undefined) => /\/api\/dte\/shared\/([\w-]+)\.pdf$/.exec(mail?.parameters.link ?? '')?.[1] ?? '';

/** Without revocations and expiry. */
function tokenOfEarlierRelease(...ids: string[]): string {
  const [{ key } = { key: '' }] = office.app.keys;
  const body = Buffer.from(`01${ids.join('').replaceAll('-', '')}`, 'hex');
  const mac = createHmac('sha256', Buffer.from(hkdfSync('sha256', key, '', 'clinic tax document link', 32)))
    .update(body)
    .digest();
  return Buffer.concat([body, mac.subarray(0, 16)]).toString('base64url');
}
