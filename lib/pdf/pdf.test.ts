// Names print as they are written, and the same document has the same bytes each time.
import { expect, test } from '@jest/globals';
import { textOfPdf } from '../testing/pdf-text.ts';
import { BOLD, createPdf, drawStamp, type Pdf, REGULAR } from './pdf.ts';
import { drawTable } from './table.ts';

const layout = { title: 'Łukasz Żółć', at: new Date('2026-11-20T16:15:00Z'), margin: 50 };
const NAMES = ['María Núñez', 'Łukasz Żółć', 'Иван Петров', 'Nguyễn Thị Ánh', 'Ἀθηνᾶ', 'Şükrü Iğdır'];

test.each([REGULAR, BOLD])('names print as they are written: %s', async (font) => {
  const content = await createPdf(layout, (pdf) => {
    for (const name of NAMES) pdf.font(font).text(name);
  });
  const text = textOfPdf(content);
  for (const name of NAMES) expect(text).toContain(name);
});

test('characters without a glyph are not printed: a tab is printed as spaces, each kind of line end as one line end, and others not at all', async () => {
  const typed = '1.\tRiesgos\r\n2.\u0007 Rosa\u2068 Alemán\u2069\r3.\u000bFin';
  const heights = (pdf: Pdf) => [typed, 'a\nb\nc\nd'].map((text) => pdf.font(REGULAR).heightOfString(text, { width: 200 }));
  const content = await createPdf({ ...layout, patient: 'Rosa\tAlemán' }, (pdf) => {
    const [height, ofFourLines] = heights(pdf);
    expect(height).toBe(ofFourLines);
    pdf.text(typed).text(typed, 50, 300, { width: 200 }).addPage();
  });
  const text = textOfPdf(content);
  expect(text.split('1.    Riesgos2. Rosa Alemán3.Fin')).toHaveLength(3);
  expect(text).toContain('Łukasz Żółć · Rosa    Alemán');
});

const table = (lines: number) => (pdf: Pdf) =>
  drawTable(
    pdf,
    [
      { title: 'Nombre', width: 0.7 },
      { title: 'Número', width: 0.3, align: 'right' },
    ],
    Array.from({ length: lines }, (_, index) => [`Línea de ${NAMES[index % NAMES.length]}`, String(index)]),
  );

test('a table continues on the next page under the same heading, and several pages are numbered and name the document and the patient', async () => {
  const text = textOfPdf(await createPdf({ ...layout, patient: 'Rosa Alemán' }, table(60)));
  expect(text.match(/Nombre/g)).toHaveLength(3);
  expect(text.match(/Łukasz Żółć · Rosa AlemánPágina \d de 3/g)).toHaveLength(3);
  const long = textOfPdf(await createPdf({ ...layout, patient: 'Rosa '.repeat(40) }, table(60)));
  expect(long.match(/Łukasz Żółć · Rosa [Rosa ]+…Página \d de 3/g)).toHaveLength(3);
  expect(textOfPdf(await createPdf(layout, table(3)))).not.toContain('Página');
});

test('each page is stamped; the same input gives the same bytes, of moderate size', async () => {
  const stamped = () => createPdf(layout, table(60), (pdf) => drawStamp(pdf, 'PRUEBA'));
  const content = await stamped();
  expect(textOfPdf(content).match(/PRUEBA/g)).toHaveLength(3);
  expect(content.equals(await stamped())).toBe(true);
  expect(content.length).toBeLessThan(60_000);
});

test('documents wait while others are drawn, and are refused when too many wait', async () => {
  const settled = await Promise.allSettled(Array.from({ length: 40 }, () => createPdf(layout, () => {})));
  const reasons = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(reasons).toEqual(Array(6).fill(expect.objectContaining({ reason: 'UNAVAILABLE', details: [{ path: 'retry_after', message: '5' }] })));
});
