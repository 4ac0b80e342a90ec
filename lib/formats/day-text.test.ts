import { describe, expect, test } from '@jest/globals';
import { foldClockTimes, parseDay, parseDayWish, spanishInstant, withoutClockTimes } from './day-text.ts';

// A Thursday. The next Monday 7th is in December.
const TODAY = '2026-11-26';
const wishOf = (text: string, language: 'es' | 'en' = 'es') => parseDayWish(withoutClockTimes(text), TODAY, language);
const dateOf = (text: string, language: 'es' | 'en' = 'es') => parseDay(withoutClockTimes(text), TODAY, language);

test.each([
  ['2026-11-27T20:05:00Z', '27 de noviembre de 2026 a las 2:05 p. m.'],
  ['2026-11-27T07:00:00Z', '27 de noviembre de 2026 a la 1:00 a. m.'],
  ['2026-11-28T05:59:59Z', '27 de noviembre de 2026 a las 11:59 p. m.'],
])('the instant %s in San Salvador is the %s', (at, text) => {
  expect(spanishInstant(new Date(at), 'America/El_Salvador')).toBe(text);
});

describe('the date that a message names', () => {
  test.each([
    ['31/12/2030', '2030-12-31'],
    ['el 5 de enero de 2028', '2028-01-05'],
    ['el lunes', '2026-11-30'],
    ['el jueves', '2026-11-26'],
    ['el lunes 7', '2026-12-07'],
    ['lunes 7 a las 10', '2026-12-07'],
    ['lunes 7 de diciembre', '2026-12-07'],
    ['el lunes 7 en la tarde', '2026-12-07'],
    ['el 30 por la mañana', '2026-11-30'],
    ['miércoles 16 de diciembre en la tarde', '2026-12-16'],
    ['el lunes a las 10', '2026-11-30'],
    ['el lunes 3 de la tarde', '2026-11-30'],
    ['el lunes 10 am', '2026-11-30'],
    ['el viernes de la proxima semana', '2026-12-04'],
    ['la proxima semana el martes', '2026-12-01'],
    ['el martes de la otra semana', '2026-12-01'],
    ['el sábado de la semana que viene', '2026-12-05'],
    ['el proximo jueves', '2026-12-03'],
    ['el jueves que viene', '2026-12-03'],
    ['el próximo martes', '2026-12-01'],
    ['el lunes que viene a las 10 am', '2026-11-30'],
    ['el otro viernes', '2026-12-04'],
    ['el otro lunes', '2026-11-30'],
    ['de hoy en ocho', '2026-12-03'],
    ['de hoy en 8', '2026-12-03'],
    ['de hoy en quince', '2026-12-10'],
    ['de mañana en ocho', '2026-12-04'],
    ['el lunes en ocho', '2026-12-07'],
    ['en ocho días', '2026-12-03'],
    ['mejor en 3 dias', '2026-11-29'],
    ['dentro de tres días', '2026-11-29'],
    ['en 15 dias', '2026-12-11'],
    ['en quince días', '2026-12-11'],
    ['en una semana', '2026-12-03'],
    ['en dos semanas', '2026-12-10'],
    ['el 30', '2026-11-30'],
    ['para el 30 porfa', '2026-11-30'],
    ['el día 5 a las 3', '2026-12-05'],
    ['el 31', '2026-12-31'],
    ['primero de diciembre', '2026-12-01'],
    ['1ro de diciembre', '2026-12-01'],
    ['30 de nov', '2026-11-30'],
    ['5 dic', '2026-12-05'],
    ['2 de oct', '2026-10-02'],
    ['2 citas el 8 de diciembre', '2026-12-08'],
    ['30/11', '2026-11-30'],
    ['5-12-2026', '2026-12-05'],
    ['mañana a las nueve de la mañana', '2026-11-27'],
    ['a las 9 de la mañana', undefined],
    ['a las 10 y 30', undefined],
    ['me atraso 15 minutos', undefined],
    ['en media hora', undefined],
    ['el 31 de febrero', undefined],
  ])('%s: %s', (text, date) => expect(dateOf(text)).toBe(date));
  test.each([
    ['next thursday', '2026-12-03'],
    ['the 30th', '2026-11-30'],
    ['in 3 days', '2026-11-29'],
    ['friday next week', '2026-12-04'],
    ['december 7', '2026-12-07'],
  ])('%s: %s', (text, date) => expect(dateOf(text, 'en')).toBe(date));
});

describe('the day that a message asks for without a date of its own', () => {
  test.each<[string, ReturnType<typeof wishOf>]>([
    ['lunes 8 de diciembre', { kind: 'mismatch', date: '2026-12-08' }],
    ['el lunes 8', { kind: 'mismatch', date: '2026-12-08' }],
    ['la otra semana', { kind: 'from', date: '2026-11-30' }],
    ['para la próxima semana', { kind: 'from', date: '2026-11-30' }],
    ['el fin de semana', { kind: 'from', date: '2026-11-28' }],
    ['el otro mes', { kind: 'from', date: '2026-12-01' }],
    ['a fin de mes', { kind: 'from', date: '2026-11-26' }],
    ['lo mas pronto posible', { kind: 'soonest' }],
    ['lo antes posible', { kind: 'soonest' }],
    ['cuando haya', { kind: 'soonest' }],
    ['as soon as possible', { kind: 'soonest' }],
    ['en 15 días', { kind: 'date', date: '2026-12-11', or: '2026-12-10' }],
    ['gracias', undefined],
  ])('%s', (text, wish) => expect(wishOf(text)).toEqual(wish));
});

test.each([
  ['8 y media', ' 8h30 '],
  ['a las 9 y media', ' 9h30 '],
  ['a las 10 y media de la mañana', ' 10h30am '],
  ['a las nueve', ' 9h00 '],
  ['a la una', ' 1h00 '],
  ['las dos de la tarde', ' 2h00pm '],
  ['a las 3 y cuarto', ' 3h15 '],
  ['un cuarto para las diez', ' 9h45 '],
  ['diez menos cuarto', ' 9h45 '],
  ['cuarto para la una', ' 12h45 '],
  ['las diez y treinta', ' 10h30 '],
  ['a las diez treinta', ' 10h30 '],
  ['al mediodía', ' 12h00pm '],
  ['9:30 am', ' 9h30am '],
  ['2:30pm', ' 2h30pm '],
  ['3 p. m.', ' 3h00pm '],
  ['half past nine', ' 9h30 '],
  ['nine o’clock', ' 9h00 '],
  ['15 minutos', ' 15 minutos '],
  ['3 citas', ' 3 citas '],
  ['a mi nombre', ' a mi nombre '],
  ['12 md', ' 12h00pm '],
  ['a las doce m.', ' 12h00pm '],
  ['12m', ' 12h00pm '],
  ['12:30 m.d.', ' 12h30pm '],
  ['12 del día', ' 12h00pm '],
  ['15hrs', ' 15h00 '],
  ['15:30h', ' 15h30 '],
  ['1530 hrs', ' 15h30 '],
  ['a las 15 horas', ' a 15h00 '],
  ['en 12 horas', ' en 12 horas '],
  ['3 dela tarde', ' 3h00pm '],
  ['a las 3 tarde', ' 3h00pm '],
  ['15 para las 4', ' 3h45 '],
  ['faltando quince para las 4', ' 3h45 '],
  ['el 15 para las 4', ' el 15 para 4h00 '],
])('the clock times of %j', (text, folded) => expect(foldClockTimes(text)).toBe(folded));
