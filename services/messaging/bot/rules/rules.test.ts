import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bestFaq, type Faq } from '../../faq/faq-match-rules.ts';
import { strongIntent, wholeIntent } from './intents.ts';
import { resume, type Session } from './session.ts';
import { sayIn, TEXTS, type TextKey, unknownVariable } from './texts.ts';
import { dayIn, timeIn } from './when.ts';
import { has, languageOf, nameOf, plain } from './words.ts';

const faq = (id: string, keywords: string[], day = 1): Faq => ({ id, question: '', answer: '', keywords, createdAt: new Date(2026, 0, day) });

describe('the best answer', () => {
  const pick = (said: string, ...faqs: Faq[]) => bestFaq(faqs, plain(said))?.id;
  test('most keywords, then the longest, then the newest', () => {
    expect(pick('precio de limpieza', faq('a', ['precio']), faq('b', ['precio', 'limpieza']))).toBe('b');
    expect(pick('precio de limpieza', faq('a', ['precio'], 9), faq('b', ['limpieza']))).toBe('b');
    expect(pick('precio', faq('a', ['precio'], 1), faq('b', ['precio'], 2))).toBe('b');
  });
  test('whole words, whatever case and accents, also of several words', () => {
    expect(pick('¿ATENCIÓN?', faq('a', ['atencion']))).toBe('a');
    expect(pick('horarios', faq('a', ['horario']))).toBeUndefined();
    expect(pick('¿Cuál es la forma de  pago?', faq('a', ['forma de pago']))).toBe('a');
    expect(pick('pago de forma', faq('a', ['forma de pago']))).toBeUndefined();
  });
  test('does not depend on the order of the entries', () => {
    const words = fc.subarray(['precio', 'limpieza', 'horario', 'parqueo']);
    fc.assert(
      fc.property(fc.array(words, { maxLength: 6 }), words, (entries, said) => {
        const faqs = entries.map((keywords, index) => faq(String(index), keywords, index + 1));
        expect(bestFaq(faqs.toReversed(), plain(said.join(' ')))?.id).toBe(bestFaq(faqs, plain(said.join(' ')))?.id);
      }),
    );
  });
});

describe('words', () => {
  test('what is a whole word of a text is found in it, and nothing that is not', () => {
    expect(has(plain('quiero una CITA, por favor'), 'cita')).toBe(true);
    expect(has(plain('felicitaciones'), 'cita')).toBe(false);
    fc.assert(fc.property(fc.string(), (text) => plain(plain(text)) === plain(text)));
  });
  test.each([
    ['Baja', 'stop'],
    ['¡STOP!', 'stop'],
    ['cancelar suscripción', 'stop'],
    ['alta', 'start'],
    ['cancelar', 'cancel'],
    ['Sí', 'yes'],
  ])('%s is %s', (text, intent) => expect(wholeIntent(plain(text))).toBe(intent));
  test.each(['dar de baja mi cita', 'no puedo salir', 'por lo bajo'])('%s opts nobody out', (text) => {
    expect(wholeIntent(plain(text))).toBeUndefined();
    expect(strongIntent(plain(text))).not.toBe('stop');
  });
  test.each([
    ['I would like an appointment', 'en'],
    ['quiero una cita', 'es'],
    ['no', undefined],
    ['8:30', undefined],
  ])('%s is in %s', (text, language) => expect(languageOf(plain(text))).toBe(language));
  test.each([
    ['Me llamo Rosa Díaz', 'Rosa Díaz'],
    ["Sean O'Neil-Paz", "Sean O'Neil-Paz"],
    ['12345', undefined],
    ['R', undefined],
    ['http://x.example', undefined],
  ])('%s as a name: %s', (text, name) => expect(nameOf(text)).toBe(name));
});

describe('days and times', () => {
  test.each([
    ['hoy', '2026-06-01'],
    ['para mañana', '2026-06-02'],
    ['pasado mañana', '2026-06-03'],
    ['el lunes', '2026-06-01'],
    ['domingo', '2026-06-07'],
    ['15 de junio', '2026-06-15'],
    ['15/6', '2026-06-15'],
    ['5 de enero', '2027-01-05'],
    ['2026-07-01', '2026-07-01'],
    ['31/02', undefined],
    ['cuando sea', undefined],
  ])('%s is %s', (text, date) => expect(dayIn(plain(text), '2026-06-01', 'es')).toBe(date));
  test('month first in English', () => expect(dayIn(plain('7/4'), '2026-06-01', 'en')).toBe('2026-07-04'));
  test.each([
    ['a las 8', '08:00'],
    ['2', '14:00'],
    ['2:30 pm', '14:30'],
    ['8 p. m.', undefined],
    ['25', undefined],
    ['tarde', undefined],
  ])('%s is %s', (text, time) => expect(timeIn(text, ['08:00', '14:00', '14:30'])).toBe(time));
});

describe('texts', () => {
  const titles: TextKey[] = Object.keys(TEXTS).filter((key) => key.startsWith('do_')) as TextKey[];
  const buttons: TextKey[] = [
    'yes_book',
    'other_name',
    'no_thanks',
    'yes_cancel',
    'keep',
    'yes_move',
    'confirm_visit',
    'move_visit',
    'cancel_visit',
    'yes_offer',
  ];
  const pressed: TextKey[] = [...buttons, 'do_book', 'do_mine', 'do_menu', 'do_person'];
  const opened: TextKey[] = ['menu_button', 'doctors_button', 'days_button', 'times_button', 'visits_button', 'faq_button'];
  test.each(['es', 'en'] as const)('fit the limits of the provider in %s', (language) => {
    for (const key of pressed) expect([key, TEXTS[key][language].length <= 20]).toEqual([key, true]);
    for (const key of opened) expect([key, TEXTS[key][language].length <= 20]).toEqual([key, true]);
    for (const key of [...titles, 'more', 'more_times', 'other_day'] as TextKey[]) expect([key, TEXTS[key][language].length <= 24]).toEqual([key, true]);
  });
  test('say the same in braces in both languages', () => {
    const braces = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();
    for (const { es, en } of Object.values(TEXTS)) expect(braces(en)).toEqual(braces(es));
  });
  test('fill in what is known, leave the rest, and prefer the words of the clinic', () => {
    expect(sayIn('es', 'Sonrisa', { es: { greeting: 'Soy {clinica} {x}' } })('greeting')).toBe('Soy Sonrisa {x}');
    expect(unknownVariable('greeting', 'Hola {clinica}')).toBeUndefined();
    expect(unknownVariable('greeting', 'Hola {telefono}')).toBe('telefono');
  });
});

test('a talk is over after half an hour; language and choice stay', () => {
  const kept: Session = { language: 'en', optedOut: true, step: { name: 'doctor', page: 0 } };
  const after = (minutes: number) => resume(kept, new Date(0), new Date(minutes * 60_000)).step.name;
  expect([after(29), after(30)]).toEqual(['doctor', 'idle']);
  expect(resume(kept, new Date(0), new Date(86_400_000))).toEqual({ ...kept, step: { name: 'idle' } });
});
