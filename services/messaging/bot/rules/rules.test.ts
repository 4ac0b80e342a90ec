import { foldPhrase } from '@clinic/lib/formats/phrases.ts';
import { describe, expect, test } from '@jest/globals';
import { clinicIntent } from './clinic-questions.ts';
import { correctSpelling } from './correct-spelling.ts';
import { agreesTo, asksForFacts, isAcknowledgement, isEmergency, isRefusal, strongIntent, unaskedIntent, wholeIntent } from './intents.ts';
import { parseTimeWish } from './parse-free-time.ts';
import { isForMyself, parseIntroducedName, parsePersonName, withoutIntroducedNames } from './parse-person-name.ts';
import { TEXTS, type TextKey, textsIn, unknownVariable } from './texts.ts';
import { toInput } from './to-input.ts';

/** The first of the times that the message may mean that is free. */
const firstFree = (text: string, free: string[]) => parseTimeWish(text)?.times?.find((time) => free.includes(time));

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
  test.each(['Sí', 'siii', 'confirmo la cancelación', 'Sí, cancelar', 'Yes, cancel it', 'sí, confirmo', 'sí, cancélela', 'cancele mi cita por favor'])(
    '%s agrees to cancelling',
    (text) => expect(agreesTo('cancel', foldPhrase(text))).toBe(true),
  );
  test.each([
    ...['no quiero cancelar', 'no confirmo', 'sí, agendar', 'Sí, pero otro día', 'no, sí', 'cancele la otra', 'cancelar la del viernes'],
    ...['perdón, sí voy a llegar', 'ahí estaré', 'sí voy a ir', 'confirmo mi cita', 'confirmo mi asistencia', 'si llego', 'Confirm my appointment'],
    ...['Ok, ahí estaré primero Dios', 'tengo que confirmar con mi esposo', 'más tarde confirmo', '¿hasta qué hora puedo confirmar?'],
  ])('%s does not agree to it', (text) => expect(agreesTo('cancel', foldPhrase(text))).toBe(false));
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
    ...[
      'si la quiero gracias',
      'si por favor, la tomo',
      'sí claro',
      'la quiero',
      'acepto',
      'dale',
      'va',
      'perfecto, sí',
      'sí porfa',
      'si gracias',
      'Sí, con gusto',
    ],
    ...['ok está bien', 'yes, I want it', 'Simón', 'si ahi estare, gracias', 'de acuerdo', 'está bien', 'por supuesto', 'ok confirmado gracias'],
    ...['siii', 'Ok, ahí estaré primero Dios', 'si llego', 'Enterada, gracias', 'Buenos días, sí'],
  ])('%s means yes', (text) => expect(wholeIntent(foldPhrase(text))).toBe('yes'));
  test.each([
    'no gracias',
    'mejor no',
    'no ya no',
    'mejor no, cancelela',
    'ya no la quiero, no',
    'ya no, gracias',
    'No, thank you',
    'nooo',
    'no, mejor después',
    'no perdón, me equivoqué',
  ])('%s means no', (text) => expect(wholeIntent(foldPhrase(text))).toBe('no'));
  test.each(['Sí, pero otro día', 'gracias', 'la cita', 'que bueno, cuánto cuesta', 'quiero', 'no sé'])('%s is neither yes nor no', (text) =>
    expect(['yes', 'no']).not.toContain(wholeIntent(foldPhrase(text))),
  );
  test.each(['ya no la necesito', 'no puedo a esa hora', 'ya no gracias', 'mejor no', 'esa hora no me sirve'])('%s refuses an offer', (text) =>
    expect(isRefusal(foldPhrase(text))).toBe(true),
  );
  test.each([
    ...['ya no me manden mensajes', 'por favor dejen de escribirme', 'No quiero recibir mensajes', 'stop messaging me please'],
    ...['no quiero recibir más mensajes de ustedes', 'Baja por favor', 'quiero darme de baja', 'dejen de mandar mensajes', 'borren mi número'],
  ])('%s opts out', (text) => expect(wholeIntent(foldPhrase(text))).toBe('stop'));
  test.each([
    ['a que hora es mi cita?', 'mine'],
    ['cuando es mi cita', 'mine'],
    ['quiero saber a que hora me toca', 'mine'],
    ['después le confirmo', 'thanks'],
    ['no voy a poder llegar a mi cita de mañana', 'mine'],
    ['No quiero cancelar mi cita solo queria saber la hora', 'mine'],
    ['¿a qué hora tengo la cita?', 'mine'],
    ['quiero cambiar la hora de mi cita', 'move'],
    ['quiero pasar mi cita para el viernes', 'move'],
    ['can i move it to tuesday', 'move'],
    ['ya no quiero la cita', 'cancel'],
    ['mejor cancélela', 'cancel'],
    ['no tengo cita, quisiera venir', 'book'],
    ['me atraso 15 minutos', 'late'],
    ['voy a llegar tarde', 'late'],
    ['puedo llegar 10 minutos tarde?', 'late'],
    ['comuniqueme con un doctor', 'person'],
    ['quiero hablar con la doctora', 'person'],
    ['me pueden llamar?', 'person'],
    ['necesito que alguien me atienda YA', 'person'],
    ['quiero poner una queja', 'complaint'],
    ['quiero hablar con una persona', 'person'],
    ['soy una persona mayor y necesito una cita', 'book'],
    ['una cita para otra persona', 'book'],
    ['cita con el dr roberto para limpieza pasado mañana a las 2pm', 'book'],
    ['¿puedo llegar más tarde a mi cita?', 'late'],
    ['voy a llegar 15 min tarde', 'late'],
    ['¿me la puede cambiar para el jueves?', 'move'],
    ['mejor muévala para el lunes', 'move'],
    ['Gracias, confirmada la cita', 'confirm'],
    ['ahí estaré primero Dios', 'confirm'],
    ['aún no puedo confirmar', 'mine'],
    ['ahorita le confirmo', 'thanks'],
    ['luego les confirmo', 'thanks'],
    ['tengo que confirmar con mi esposo', 'thanks'],
    ['déjeme confirmar en mi trabajo', 'thanks'],
    ['voy a confirmar con mi hija', 'thanks'],
    ['más tarde confirmo', 'thanks'],
    ['¿le puedo confirmar más tarde?', 'thanks'],
    ['can I confirm later?', 'thanks'],
    ['¿hasta qué hora puedo confirmar?', 'mine'],
    ['voy a confirmar mi asistencia', 'confirm'],
    ['Hola, tengo que confirmar mi cita', 'confirm'],
    ['les puedo confirmar mi asistencia', 'confirm'],
    ['debo confirmar la cita de mi hijo', 'confirm'],
    ['gracias por avisar y les confirmo mi asistencia', 'confirm'],
    ['y le confirmo que sí voy', 'confirm'],
    ['tengo que confirmar en mi trabajo', 'thanks'],
    ['tengo que confirmar mi asistencia con mi jefe', 'thanks'],
    ['déjeme confirmar mi cita con mi esposo', 'thanks'],
    ['confirmo mi cita con mi doctora', 'confirm'],
    ['¿le puedo confirmar mi cita más tarde?', 'thanks'],
    ['luego les confirmo mi asistencia', 'thanks'],
    ['¿les puedo confirmar la cita mañana?', 'thanks'],
    ['les puedo confirmar la cita de mañana', 'confirm'],
    ['¿cuándo les puedo confirmar la cita?', 'mine'],
    ['déjeme ver con mi esposo y le confirmo la cita', 'thanks'],
    ['tengo que confirmar la hora', 'mine'],
    ['¿puedo cancelar con tarjeta?', undefined],
    ['¿cuánto se cancela por la limpieza?', undefined],
    ['¿cuánto tengo que cancelar?', undefined],
    ['quiero cancelar el saldo', undefined],
    ['puedo cancelar en efectivo o en cuotas', undefined],
    ['cancelo con una transferencia', undefined],
    ['¿puedo cancelar las cuotas?', undefined],
    ['cancelar los 25 dólares', undefined],
    ['quiero cancelar las 2 cuotas', undefined],
    ['¿cuánto es lo que tengo que cancelar?', undefined],
    ['En cuanto a mi cita, quiero cancelar', 'cancel'],
    ['cuánto lo siento pero tengo que cancelar', 'cancel'],
    ['¿cuánto cuesta? mejor quiero cancelar', 'cancel'],
    ['cancelar las dos citas', 'cancel'],
    ['quiero cancelar con la doctora', 'cancel'],
    ['¿cuánto tiempo antes puedo cancelar?', 'cancel'],
    ['¿cuánto cobran por cancelar mi cita?', 'cancel'],
    ['quiero cancelar cuanto antes', 'cancel'],
    ['déjeme ver con mi esposo y le confirmo', 'thanks'],
    ['sí le confirmo mi asistencia', 'confirm'],
    ['la doctora me trató mal', 'complaint'],
    ['número equivocado', 'person'],
    ['¿tienen espacio esta semana?', 'book'],
    ['quiero cita mañana', 'book'],
    ['me puede dar una cita', 'book'],
    ['cuándo es la cita de mi hijo?', 'mine'],
    ['cancélala', 'cancel'],
    ['mejor la quiero mover para el viernes', 'move'],
    ['páseme a una persona', 'person'],
    ['pura mierda de servicio', 'complaint'],
    ['estoy afuera', 'late'],
    ['¿estoy en lista de espera?', 'person'],
    ['cuánto vale una limpieza y me agenda para mañana a las 10', 'book'],
    ['xq no contestan', 'person'],
    ['mi cita para el lunes sigue en pie?', 'mine'],
    ['quiero mi cita para el lunes', 'book'],
    ['nos vemos mañana', 'thanks'],
    ['la cita de mi hijo para cuándo quedó', 'mine'],
  ])('%s: %s', (text, intent) => expect(strongIntent(foldPhrase(text))).toBe(intent));
  test.each([
    ['no puedo ir mañana', 'mine'],
    ['no voy a poder llegar', 'mine'],
    ['quiero cambiar la hora', 'move'],
    ['no llego mañana', 'mine'],
    ['¿se puede adelantar?', 'move'],
    ['no puedo a las 9', undefined],
  ])('%s, without a question: %s', (text, intent) => expect(unaskedIntent(foldPhrase(text))).toBe(intent));
  test.each([
    'me duele muchisimo la muela no aguanto esta sangrando ayuda urgente',
    'tengo una emergencia',
    'me sangra mucho donde me sacaron la muela ayer',
    'tengo la cara inflamada y fiebre',
    'es urgente',
    'mi hijo se quebró un diente jugando',
    'I have an emergency, my tooth is bleeding',
    'no puedo ni dormir del dolor',
    'se cayó y se le aflojó un diente',
    'me duele mucho, se me quebró el diente',
    'me sale sangre',
    'it hurts a lot',
    'ayer me sacaron la muela y no me para la sangre',
    'no deja de salir sangre',
    'mi niño tiene calentura y el cachete bien hinchado',
    'tengo un dolor bien fuerte en la muela',
    'se le ve inflamada la cara',
    'me duele un montón',
  ])('%s is an emergency', (text) => expect(isEmergency(foldPhrase(text))).toBe(true));
  test.each(['no es urgente', 'no es una emergencia', 'quiero una cita', 'me duele un poco', 'tengo la encía un poco inflamada'])(
    '%s is no emergency',
    (text) => expect(isEmergency(foldPhrase(text))).toBe(false),
  );
  test.each([
    ['que horario tienen?', 'hours'],
    ['a que hora abren', 'hours'],
    ['dirección?', 'address'],
    ['donde estan hubicados', 'address'],
    ['cual es el numero de telefono', 'phone'],
    ['atienden domingos?', 'hours'],
    ['mañana abren?', 'hours'],
    ['atienden niños?', undefined],
    ['hola', undefined],
    ['¿cuál es el número de la clínica?', 'phone'],
  ])('%s asks about the clinic: %s', (text, intent) => expect(clinicIntent(foldPhrase(text))).toBe(intent));
  test.each([
    ['kiero una sita x la mañana alas 9', 'quiero una cita por la mañana a las  9'],
    ['Ay cupo para oy? q presio tiene', 'hay cupo para hoy? que precio tiene'],
    ['el biernes a las4', 'el viernes a las 4'],
    ['Alas, hola', 'Alas, hola'],
    ['xq no contestan el vie', 'porque no contestan el viernes'],
    ['Holaaaaa, buenasss', 'Hola, buenas'],
    ['Resina clase III', 'Resina clase III'],
  ])('%s, spelled correctly', (text, corrected) => expect(correctSpelling(text)).toBe(corrected));
  test.each([
    ['quiero cita para mi hija Ana López con el doctor Paz', ' quiero cita con el doctor paz '],
    ['soy Ana Rivas, quiero una cita', ' quiero una cita '],
    ['para mi hijo', ' para mi hijo '],
    ['cita con la doctora Ana', ' cita con la doctora ana '],
    ['mejor el 3 de julio', ' mejor '],
    ['el primero de abril por la tarde', ' por la tarde '],
    ['el domingo con el doctor Julio', ' con el doctor julio '],
    ['cita con Julio Domingo', ' cita con julio domingo '],
  ])('%s, without the names of patients', (text, words) => expect(withoutIntroducedNames(foldPhrase(text))).toBe(words));
  test.each(['¿puedo cancelar con tarjeta?', 'se puede pagar en cuotas'])('%s asks for facts', (text) => expect(asksForFacts(foldPhrase(text))).toBe(true));
  test.each(['quiero cita cuanto antes', 'vale, mañana'])('%s asks for no facts', (text) => expect(asksForFacts(foldPhrase(text))).toBe(false));
  test.each([
    ['ok', true],
    ['vaya pues', true],
    ['ok, perfecto gracias', true],
    ['sí', false],
    ['ok, una cita', false],
  ])('%s only acknowledges: %s', (text, expected) => expect(isAcknowledgement(foldPhrase(text))).toBe(expected));
  test.each([
    ['para mi hijo Carlos', 'Carlos'],
    ['es para mi mamá que se llama Rosa Elvira Campos', 'Rosa Elvira Campos'],
    ['para mi esposa Karla López', 'Karla López'],
    ['a nombre de Juan Pérez por favor', 'Juan Pérez'],
    ['mi hija Sofía Menjívar de 6 años', 'Sofía Menjívar'],
    ['doña Marta Quintanilla', 'Marta Quintanilla'],
    ['Nieto Pérez', 'Nieto Pérez'],
    ['Domingo Pérez', 'Domingo Pérez'],
    ['a nombre de mi esposa Ana', 'Ana'],
    ['el domingo', undefined],
    ['soy Ana Gabriela Torres', 'Ana Gabriela Torres'],
    ['sí, Pedro Martínez', 'Pedro Martínez'],
    ['La cita es para María de los Ángeles', 'María de los Ángeles'],
    ['María de la O', 'María de la O'],
    ["it's for my son Carlos", 'Carlos'],
    ['mi esposa', undefined],
    ['para mi hijo', undefined],
    ['para una amiga', undefined],
    ['Rosa Elena Díaz DUI 04567890-1', 'Rosa Elena Díaz'],
    ['Rosa Díaz tel. 7000-1234', 'Rosa Díaz'],
    ['Rosa Díaz, 34', 'Rosa Díaz'],
    ['con el nombre de Ximena Alvarenga de Paz', 'Ximena Alvarenga de Paz'],
    ['a las nueve', undefined],
    ['mañana en la tarde', undefined],
    ['quiero otra hora', undefined],
    ['el lunes', undefined],
    ['no sé', undefined],
    ['yo', undefined],
    ['precio de la limpieza', undefined],
    ['aceptan tarjeta', undefined],
    ['John Price', 'John Price'],
    ['A nombre de John Price', 'John Price'],
    ['JOHN PRICE', 'JOHN PRICE'],
    ['john price', 'john price'],
    ['Ana Price López', 'Ana Price López'],
    ['Price list', undefined],
    ['price of cleaning', undefined],
    ['price', undefined],
    ['Prices', undefined],
    ['What is the Price', undefined],
    ['Cleaning price', undefined],
    ...['Consuelo Guardado', 'Dolores Franco', 'Socorro Paz', 'Luz Mejía', 'Sol Rosales', 'Abril Mayo', 'Julio Barrera', 'Domingo Santos'].map(
      (name): [string, string] => [name, name],
    ),
    ['direccion por favor', undefined],
    ['Rosa Díaz, teléfono 7000-1234', 'Rosa Díaz'],
  ])('%s as a name: %s', (text, name) => expect(parsePersonName(text)).toBe(name));
  test.each([
    ['mejor a nombre de mi mamá, teresa díaz', 'teresa díaz'],
    ['es para mi hijo carlos', 'carlos'],
    ['Ana Díaz', 'Ana Díaz'],
    ['María de los Ángeles', 'María de los Ángeles'],
    ['A NOMBRE DE ROSA PAZ', 'ROSA PAZ'],
    ['mi hijo JOSÉ PÉREZ', 'JOSÉ PÉREZ'],
    ['Espéreme tantito', undefined],
    ['MEJOR TEMPRANO', undefined],
    ['ACEPTAN TARJETA', undefined],
    ['Permítame', undefined],
    ['es para limpieza', undefined],
    ['para el viernes', undefined],
  ])('%s in answer to another question names %s', (text, name) => expect(parseIntroducedName(text)).toBe(name));
  test.each([
    ['para mí', true],
    ['no, para mí misma', true],
    ['quiero una cita para mí mañana', true],
    ['no es para mí', false],
    ['cita para mi hijo', false],
    ['para mí el lunes está bien', false],
    ['es para mi hija, no para mí', false],
    ['una cita para mi hija y otra para mí', false],
  ])('%s is for the writer: %s', (text, expected) => expect(isForMyself(foldPhrase(text))).toBe(expected));
  test('capitals mark a name after the question for one', () => expect(parseIntroducedName('MARTA PÉREZ', true)).toBe('MARTA PÉREZ'));
  test.each([
    ['Me llamo Rosa Díaz', 'Rosa Díaz'],
    ['Es para Rosa Díaz', 'Rosa Díaz'],
    ["Sean O'Neil-Paz", "Sean O'Neil-Paz"],
    ['12345', undefined],
    ['R', undefined],
    ['http://x.example', undefined],
  ])('%s as a name: %s', (text, name) => expect(parsePersonName(text)).toBe(name));
});

describe('a message', () => {
  test.each([
    ['👍🏽', 'ok'],
    ['👎', 'no'],
    ['🙏🏽 ❤️', 'gracias'],
    ['🌵', '🌵'],
    ['sí 👍', 'sí 👍'],
  ])('%s means %s', (text, meaning) => expect(toInput('text', { text }).text).toBe(meaning));

  test('is only read up to a length that takes little time', () => {
    const { text } = toInput('text', { text: `a,${'😀'.repeat(4_000)}` });
    expect([text.length <= 2_000, text.isWellFormed()]).toEqual([true, true]);
  });
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
  ])('%s is %s', (text, time) => expect(firstFree(text, ['08:00', '14:00', '14:30'])).toBe(time));
});

const [ALL_DAY] = [Array.from({ length: 22 }, (_, n) => `${String(7 + Math.floor(n / 2)).padStart(2, '0')}:${n % 2 ? '30' : '00'}`)];

describe('the free time that a sentence means', () => {
  test.each([
    ['8 y media', '08:30'],
    ['a las 9 y media', '09:30'],
    ['a las 10 y media de la mañana', '10:30'],
    ['3 y media', '15:30'],
    ['un cuarto para las diez', undefined],
    ['las diez y treinta', '10:30'],
    ['a las nueve', '09:00'],
    ['las dos de la tarde', '14:00'],
    ['2 en la tarde', '14:00'],
    ['lunes 2 de la tarde', '14:00'],
    ['a la una', '13:00'],
    ['al mediodía', '12:00'],
    ['nueve', '09:00'],
    ['mejor a las 9', '09:00'],
    ['tipo 9', '09:00'],
    ['como a 9', '09:00'],
    ['saliendo del trabajo tipo 5', '17:00'],
    ['soy diabético tipo 2', undefined],
    ['tengo diabetes tipo 2', undefined],
    ['9 por favor', '09:00'],
    ['9.30', '09:30'],
    ['10 30', '10:30'],
    ['half past nine', '09:30'],
    ['no, mejor a las 10', '10:00'],
    ['a las 9 no puedo, a las 10 sí', '10:00'],
    ['no puedo a las 9 pero a las 10 sí', '10:00'],
    ['¿no tiene a las 10?', '10:00'],
    ['Buenas tardes, a las 10', '10:00'],
    ['antes de las 10', undefined],
    ['a las 9 no puedo', undefined],
    ['no puedo a las 9', undefined],
    ['no, a las 9 no', undefined],
    ['mejor en 3 dias', undefined],
    ['me atraso 15 minutos', undefined],
    ['llego en 2 horas', undefined],
    ['somos 3 personas', undefined],
    ['para mis 2 hijos', undefined],
    ['el lunes 7', undefined],
    ['el 8 de diciembre', undefined],
    ['llámeme al 7', undefined],
    ['el 9', undefined],
    ['el 30', undefined],
    ['30', undefined],
  ])('%s: %s', (text, time) => expect(firstFree(text, ALL_DAY)).toBe(time));
});

describe('the times that a sentence asks for', () => {
  test.each([
    ['antes de las 10', { to: '10:00' }],
    ['antes de 10', { to: '10:00' }],
    ['después de las 4', { from: '16:00' }],
    ['despues de las 2 y media', { from: '14:30' }],
    ['a partir de las 9 am', { from: '09:00' }],
    ['de las 3 en adelante', { from: '15:00' }],
    ['entre las 2 y las 4', { from: '14:00', to: '16:00' }],
    ['de 2 a 4', { from: '14:00', to: '16:00' }],
    ['no puedo antes de las 10', { from: '10:00' }],
    ['no puedo después de las 4, gracias', { to: '16:00' }],
    ['mañana en la tarde', { from: '12:00' }],
    ['el miércoles 16 en la tarde', { from: '12:00' }],
    ['24 en la tarde', { from: '12:00' }],
    ['31 por la mañana', { to: '12:00' }],
    ['por la mañana', { to: '12:00' }],
    ['prefiero la mañana del lunes', { to: '12:00' }],
    ['la mañana de este viernes', { to: '12:00' }],
    ['la tarde del lunes', { from: '12:00' }],
    ['por las tardes', { from: '12:00' }],
    ['toda la noche me dolió', undefined],
    ['la noche del lunes', { from: '18:00' }],
    ['Monday evening', { from: '18:00' }],
    ['Good evening', undefined],
    ['lo más temprano', { to: '12:00' }],
    ['a primera hora', { to: '12:00' }],
    ['lo más tarde que tenga', { isLast: true }],
    ['algo más tarde', { isLast: true }],
    ['después de almuerzo', { from: '12:00' }],
    ['salgo del trabajo a las 3', { from: '15:00' }],
    ['salgo a las 4 y media', { from: '16:30' }],
    ['antes del almuerzo', { to: '12:00' }],
    ['en la noche', { from: '18:00' }],
    ['a las 9 no puedo', { refused: ['09:00', '21:00'] }],
    ['in the afternoon', { from: '12:00' }],
    ['before 10', { to: '10:00' }],
    ['after 4 pm', { from: '16:00' }],
    ['buenas tardes', undefined],
    ['Good morning!', undefined],
    ['después de 3 dias', undefined],
    ['más tarde', undefined],
    ['mañana', undefined],
  ])('%s', (text, wish) => expect(parseTimeWish(text)).toEqual(wish));
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
