import { foldPhrase } from '@clinic/lib/formats/phrases.ts';
import { describe, expect, test } from '@jest/globals';
import { agreesTo, strongIntent, wholeIntent } from './intents.ts';
import { parseFreeTime } from './parse-free-time.ts';
import { parsePersonName } from './parse-person-name.ts';
import { TEXTS, type TextKey, textsIn, unknownVariable } from './texts.ts';

describe('words', () => {
  test.each([
    ['Baja', 'stop'],
    ['¡STOP!', 'stop'],
    ['cancelar suscripción', 'stop'],
    ['alta', 'start'],
    ['cancelar', 'cancel'],
    ['Sí', 'yes'],
  ])('%s is %s', (text, intent) => expect(wholeIntent(foldPhrase(text))).toBe(intent));
  test.each(['dar de baja mi cita', 'no puedo salir', 'por lo bajo'])('%s opts nobody out', (text) => {
    expect(wholeIntent(foldPhrase(text))).toBeUndefined();
    expect(strongIntent(foldPhrase(text))).not.toBe('stop');
  });
  test.each(['Sí', 'confirmo la cancelación', 'Sí, cancelar', 'Yes, cancel it', 'sí, confirmo'])('%s agrees to cancelling', (text) =>
    expect(agreesTo('cancel', foldPhrase(text))).toBe(true),
  );
  test.each(['no quiero cancelar', 'no confirmo', 'sí, agendar', 'Sí, pero otro día', 'no, sí'])('%s does not agree to it', (text) =>
    expect(agreesTo('cancel', foldPhrase(text))).toBe(false),
  );
  test.each([
    ['Quiero entrar en la lista de espera', 'wait'],
    ['¿Me avisa si se libera un cupo?', 'wait'],
    ['Avíseme cuando haya espacio', 'wait'],
    ['quiero agendar, aunque sea en lista de espera', 'wait'],
    ['Put me on the waitlist, please', 'wait'],
    ['Is there a waiting list?', 'wait'],
    ['Let me know if a slot opens up', 'wait'],
    ['Quíteme de la lista de espera', 'person'],
    ['Ya no quiero estar en la lista de espera', 'person'],
    ['cancelar la lista de espera', 'person'],
    ['Take me off the waitlist', 'person'],
    ['quedo en espera', undefined],
    ['¿Hay cupo mañana?', undefined],
  ])('%s: %s', (text, intent) => expect(strongIntent(foldPhrase(text))).toBe(intent));
  test.each([
    ['Me llamo Rosa Díaz', 'Rosa Díaz'],
    ['Es para Rosa Díaz', 'Rosa Díaz'],
    ["Sean O'Neil-Paz", "Sean O'Neil-Paz"],
    ['12345', undefined],
    ['R', undefined],
    ['http://x.example', undefined],
  ])('%s as a name: %s', (text, name) => expect(parsePersonName(text)).toBe(name));
});

describe('the time that a message names', () => {
  test.each([
    ['a las 8', '08:00'],
    ['2', '14:00'],
    ['2:30 pm', '14:30'],
    ['8 p. m.', undefined],
    ['25', undefined],
    ['tarde', undefined],
    ['8 de la mañana', '08:00'],
    ['a las 2 de la tarde', '14:00'],
    ['8 de la noche', undefined],
    ['8:00 por la noche', undefined],
  ])('%s is %s', (text, time) => expect(parseFreeTime(text, ['08:00', '14:00', '14:30'])).toBe(time));
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
    'confirm_appointment',
    'move_appointment',
    'cancel_appointment',
    'yes_offer',
    'wait',
  ];
  const pressed: TextKey[] = [...buttons, 'do_book', 'do_mine', 'do_menu', 'do_person'];
  const opened: TextKey[] = ['menu_button', 'doctors_button', 'days_button', 'times_button', 'appointments_button', 'faq_button'];
  test.each(['es', 'en'] as const)('fit the limits of the provider in %s', (language) => {
    for (const key of pressed) expect([key, TEXTS[key][language].length <= 20]).toEqual([key, true]);
    for (const key of opened) expect([key, TEXTS[key][language].length <= 20]).toEqual([key, true]);
    for (const key of [...titles, 'more', 'more_times', 'other_day'] as TextKey[]) expect([key, TEXTS[key][language].length <= 24]).toEqual([key, true]);
  });
  test('have the same variables in both languages', () => {
    const braces = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();
    for (const { es, en } of Object.values(TEXTS)) expect(braces(en)).toEqual(braces(es));
  });
  test('fill in known variables, leave the others, and prefer the texts of the clinic', () => {
    expect(textsIn('es', 'Sonrisa', { es: { greeting: 'Soy {clinica} {x}' } })('greeting')).toBe('Soy Sonrisa {x}');
    expect(unknownVariable('greeting', 'Hola {clinica}')).toBeUndefined();
    expect(unknownVariable('greeting', 'Hola {telefono}')).toBe('telefono');
  });
});
