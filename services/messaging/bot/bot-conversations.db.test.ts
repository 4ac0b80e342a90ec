// Conversations with the bot other than bookings and appointments, in both languages: FAQ, offers, recalls, files.
import { describe, expect, test } from '@jest/globals';
import { message, runScript, useBot } from '../testing/conversation-script.ts';

const bot = await useBot();

const JOURNEYS: Record<string, string> = {
  'a greeting gets the menu': `
    > Hola
    < asistente de Sonrisa [Agendar cita] [Mis citas] [Cambiar una cita] [Cancelar una cita] [Preguntas frecuentes] [Hablar con alguien]`,
  'a greeting in English gets the menu in English': `
    > Good morning!
    < I am the assistant of Sonrisa [Book appointment] [My appointments] [Speak to a person]`,
  'accents and case do not matter': `
    > BUENOS DÍAS
    < asistente de Sonrisa`,
  'a message that is not understood gets the menu': `
    > asdf qwerty
    < no le entendí [Agendar cita]`,
  'FAQ by keyword, without accents and case': `
    ! faq estación,parqueo: Frente a la clínica
    > ¿ESTACION?
    < Frente a la clínica`,
  'FAQ by a part of a word, but a greeting alone is not matched': `
    ! faq no,tarjeta: Aceptamos tarjetas
    > ¿Reciben tarjetas?
    < Aceptamos tarjetas
    > Buenas noches
    < asistente de Sonrisa`,
  'the FAQ takes precedence over a weak intent': `
    ! faq cuesta,precio: Veinticinco dólares
    > Hola, ¿cuánto cuesta una cita?
    < Veinticinco dólares`,
  'the best of several answers': `
    ! faq limpieza: Cuarenta dólares
    ! faq limpieza,niños: Treinta dólares para niños
    > ¿limpieza para niños?
    < Treinta dólares para niños
    > limpieza
    < dólares`,
  'the doctors of the clinic': `
    ! doctor Dra. Marta Solís
    > ¿qué doctores tienen?
    < puede agendar con: Dr. Luis Paz Dra. Ana Rivas Dra. Marta Solís [Agendar cita]
    > Quienes son los doctores
    < Dr. Luis Paz Dra. Ana Rivas Dra. Marta Solís
    > which doctors do you have?
    < you can book with: Dr. Luis Paz Dra. Ana Rivas [Book appointment]
    > agendar
    < ¿Con quién desea su cita?
    > que doctor atiende
    < puede agendar con: Dr. Luis Paz Dra. Ana Rivas Dra. Marta Solís ¿Con quién desea su cita? [Dra. Ana Rivas]
    > Rivas
    > mañana a las 9
    < ¿A nombre de quién?
    > como se llama la doctora
    < Dra. Marta Solís 📅 martes 2 de junio, 9:00 a. m., Dra. Ana Rivas La hora está reservada por 5 minutos. ¿A nombre de quién?
    > el doctor Paz
    < Dr. Luis Paz, martes 2 de junio: ¿a qué hora?
    > menu
    > ¿qué doctores tienen el jueves?
    < ¿Con quién desea su cita? [Dra. Ana Rivas]
    > Solís
    < Dra. Marta Solís, jueves 4 de junio: ¿a qué hora?`,
  'the FAQ takes precedence over the list of doctors': `
    ! faq doctores: Somos ortodoncistas
    > ¿qué doctores tienen?
    < Somos ortodoncistas`,
  'questions as a list': `
    ! faq horario: De ocho a cinco
    > hola
    > Preguntas frecuentes
    < ¿Qué desea saber? [¿De ocho a cinco?]
    > [Preguntas frecuentes]
    < ¿Qué desea saber? [¿De ocho a cinco?]
    > [¿De ocho a cinco?]
    < De ocho a cinco`,
  'yes to an offer from the waitlist': `
    ! offer 2026-06-02 10:00
    > sí
    < La hora es suya
    = appointments 2026-06-02 10:00 confirmed waitlist`,
  'an older offer is not accepted by the acknowledgement of a booking': `
    ! offer 2026-06-02 10:00
    > cita con Rivas mañana a las 9
    > sí
    < Su cita está agendada
    > ok perfecto
    < Con mucho gusto
    > {image} ok gracias
    = appointments 2026-06-02 09:00 confirmed chat`,
  'an acknowledgement answers a newer question, but no older one': `
    ! offer 2026-06-02 10:00
    > cita con Rivas mañana a las 9
    > sí
    < Su cita está agendada
    > gracias
    > ok perfecto
    < Con mucho gusto
    > cancelar mi cita
    > sí
    < Su cita fue cancelada
    > 👍
    < Con mucho gusto
    @ 8m
    ! offer 2026-06-02 11:00
    > ok perfecto
    < La hora es suya
    > ok
    < Con mucho gusto
    = appointments 2026-06-02 09:00 cancelled chat, 2026-06-02 11:00 confirmed waitlist`,
  'an acknowledgement of a confirmation, a waitlist entry or a declined offer': `
    ! appointment 2026-06-03 09:00
    > mis citas
    ! offer 2026-06-02 10:00
    > [Confirmar]
    < Su cita está confirmada
    > ok
    < Con mucho gusto
    > lista de espera con Paz
    < está en la lista de espera
    > 👍
    < Con mucho gusto
    > no gracias
    < Sigue en la lista de espera
    > perfecto
    < Con mucho gusto
    = appointments 2026-06-03 09:00 confirmed manual
    @ 1m
    ! reminder
    > perfecto
    < Su cita está confirmada
    @ 1m
    ! recall
    > ok
    < ¿Con quién desea su cita?`,
  'no to an offer from the waitlist': `
    ! offer 2026-06-02 10:00
    > no gracias
    < Sigue en la lista de espera
    = appointments none`,
  'yes in English to an offer that is over': `
    ! offer 2026-06-02 10:00
    ! offer-over
    > yes please
    < not available any more [Book appointment]`,
  'yes to a recall begins a booking': `
    ! recall
    > Sí
    < ¿Con quién desea su cita?`,
  'no to a recall': `
    ! recall
    > no
    < Cuando desee agendar`,
  'a picture': `
    > {image}
    < no puedo verlo [Hablar con alguien] [Menú]`,
  'a picture in the middle of a booking': `
    > agendar
    > [Dra. Ana Rivas]
    > {document}
    < ¿qué día le conviene? [mar 2 jun]`,
  'a recording': `
    > {audio}
    < no puedo escucharlo. ¿Desea que una persona le ayude? [Hablar con alguien] [Menú]`,
  'a location': `
    > {location}
    < Recibí su ubicación. ¿Desea que una persona le ayude? [Hablar con alguien]`,
  'a contact in the middle of a booking': `
    > agendar
    > {contacts}
    < Recibí el contacto. ¿Con quién desea su cita?`,
  'an unknown type of message': `
    > {hologram}
    < No puedo ver ese tipo de mensaje [Hablar con alguien]`,
  'stickers and reactions get no answer': `
    > {sticker}
    < -
    > {reaction}
    < -`,
  'a thumbs up agrees, other emoji are not understood': `
    ! appointment 2026-06-02 08:30
    ! reminder
    > 👍🏽
    < Su cita está confirmada
    > 🌵
    < no le entendí`,
  'an offer is accepted in other words': `
    ! offer 2026-06-02 10:00
    > si por favor, la tomo
    < La hora es suya`,
  'an offer is declined in other words': `
    ! offer 2026-06-02 10:00
    > ya no la necesito
    < Sigue en la lista de espera
    = appointments none`,
  'an elderly person books': `
    > soy una persona mayor y necesito una cita
    < ¿Con quién desea su cita?
    = mode bot`,
  'of two prices, the one that is asked for': `
    ! faq precio,cuesta,limpieza: La limpieza cuesta $35
    ! faq precio,brackets: Los brackets dependen del caso
    > precio de brackets
    < Los brackets dependen del caso
    > precio de la limpieza
    < La limpieza cuesta $35`,
  'a request for an appointment precedes the FAQ': `
    ! faq limpieza: La limpieza cuesta $35
    > cita con la dra Rivas para limpieza pasado mañana a las 9
    < miércoles 3 de junio, 9:00 a. m., Dra. Ana Rivas La hora está reservada por 5 minutos. ¿A nombre de quién?
    > menu
    > limpieza mañana a las 10
    < ¿Con quién
    > menu
    > cuánto cuesta una cita para limpieza
    < La limpieza cuesta $35`,
  'questions about the clinic that it has not answered': `
    > dirección?
    < No tengo esa información por aquí [Hablar con alguien]`,
  'the FAQ answers questions about the clinic first': `
    ! faq horario: De ocho a cinco
    > que horario tienen?
    < De ocho a cinco`,
  thanks: `
    > ¡Muchas gracias!
    < Con mucho gusto`,
  'a word of both languages does not change the language': `
    > hola
    > Menú
    < ¿En qué le puedo ayudar?`,
  'from Spanish to English and back in one conversation': `
    > hola
    < ¿En qué le puedo ayudar?
    > hello
    < How can I help you?
    > buenos días
    < ¿En qué le puedo ayudar?`,
  'the caption of a picture is read, and the reply says that the picture is not': `
    > {image} quiero una cita para mañana
    < Recibí su archivo, pero no puedo verlo. ¿Con quién desea su cita?
    > {image} con Rivas
    < Recibí su archivo, pero no puedo verlo. Dra. Ana Rivas, martes 2 de junio: ¿a qué hora?
    > {image} a las 9
    > {image} Rosa Díaz
    < A nombre de: Rosa Díaz
    > {document} sí
    < Su cita está agendada`,
  'the caption of a picture that is about the picture': `
    ! faq pago,cuesta: Aceptamos tarjetas
    > {image} Hola doctora, este es mi comprobante de pago
    < Recibí su archivo, pero no puedo verlo. ¿Desea que una persona le ayude?
    > {image} ¿cuánto cuesta arreglar esto?
    < Recibí su archivo, pero no puedo verlo. Aceptamos tarjetas ¿Desea que una persona le ayude? [Hablar con alguien]
    > sí
    = mode human person`,
  'a caption answers a reminder': `
    ! appointment 2026-06-02 08:30
    ! reminder
    > {image} no voy a poder llegar, mire mi incapacidad
    < Su próxima cita [Cancelar cita]`,
  'emoji that thank and that decline': `
    ! appointment 2026-06-02 08:30
    ! reminder
    > 🙏🏽❤️
    < Con mucho gusto
    > 👎
    < ¿Cancelo esta cita?`,
  'an acknowledgement gets no menu': `
    > cita con Rivas mañana a las 9
    > Rosa Díaz
    > si
    < Su cita está agendada
    > ok
    < ¡Con mucho gusto!
    > vaya pues
    < ¡Con mucho gusto!
    > nos vemos mañana
    < ¡Con mucho gusto!
    = appointments 2026-06-02 09:00 confirmed chat`,
  'who has no appointment may book one or speak to a person': `
    > cuando es mi cita?
    < No tiene citas pendientes. [Agendar cita] [Hablar con alguien] [Menú]
    > quiero una entonces
    < ¿Con quién desea su cita?`,
  'a question about an appointment that names its day': `
    ! appointment 2026-06-03 08:00
    > ¿mi cita para el miércoles sigue en pie?
    < Su próxima cita: 📅 miércoles 3 de junio, 8:00 a. m.`,
  'who is writing': `
    > sos un robot?
    < Soy el asistente de Sonrisa`,
  'questions that only a person can answer': `
    > me pueden mandar el número de cuenta
    < No tengo esa información por aquí. ¿Desea que una persona le ayude? [Hablar con alguien]
    > atienden niños?
    < ¿Desea que una persona le ayude?`,
  'no, although nothing is asked': `
    > no
    < De acuerdo. Cuando desee agendar, escríbanos.`,
  'the number of a menu entry, but not once something else was shown': `
    > hola
    < asistente de Sonrisa [Agendar cita]
    > 1
    < ¿Con quién desea su cita?
    > menu
    > 2
    < No tiene citas pendientes.
    > menu
    > 9
    < no le entendí
    > menu
    > 6
    < Una persona de Sonrisa
    = mode human person`,
  'several yeses book once and get no menu': `
    > cita con Rivas mañana a las 9
    > Rosa Díaz
    > sí
    < Su cita está agendada
    > sí
    < ¡Con mucho gusto!
    > sí
    < ¡Con mucho gusto!
    = appointments 2026-06-02 09:00 confirmed chat`,
};

describe('conversations', () => {
  expect(Object.keys(JOURNEYS).length).toBeGreaterThanOrEqual(44);
  for (const [name, script] of Object.entries(JOURNEYS)) test(name, async () => void (await runScript(bot, script)));

  test('a message older than the 24-hour window gets no reply, but an opt-out in it takes effect', async () => {
    const { clinic, phone } = await runScript(bot, '! known Rosa Díaz');
    const before = new Date(bot.clock.now().getTime() - 24 * 3_600_000);
    for (const text of ['hola', 'BAJA']) await bot.deliver(message(clinic.numberId, phone, { text }, undefined, before));
    await bot.settled();
    expect((await bot.messagesOf(clinic.id, phone)).map(({ direction }) => direction)).toEqual(['in', 'in']);
    await runScript(bot, '= opted-out true\n> hola\n< asistente de Sonrisa', { clinic, phone });
  });

  test('an offer is shown again after a message that is not understood, until it is over', async () => {
    const { clinic, phone } = await runScript(bot, '! offer 2026-06-02 10:00');
    const offered = bot.scheduling.offers.at(-1);
    if (!offered) throw new Error('no offer');
    const { entryId, offerId, patientId, doctorId, date, time } = offered;
    const offer = { id: offerId, doctorId, appointmentDate: date, startTime: `${time}:00` };
    bot.scheduling.state.offered.push({ id: entryId, until: new Date(bot.clock.now().getTime() + 15 * 60_000), patientId, offer });
    const starts = bot.scheduling.state.offerStarts;
    const script = `
      > ¿cuánto tiempo tengo?
      < Le guardamos esta hora: 📅 martes 2 de junio, 10:00 a. m. [Sí, la quiero] [No, gracias]
      > asdf
      < sigo sin entenderle [Hablar con alguien]
      > [Sí, la quiero]
      < La hora es suya`;
    await runScript(bot, script, { clinic, phone });
    await runScript(bot, '@ 15m\n> asdf\n< no le entendí [Agendar cita]', { clinic, phone });
    expect(bot.scheduling.state.offerStarts).toBe(starts);
  });

  test('a turn that needs the same data twice requests it from scheduling once', async () => {
    const { clinic, phone } = await runScript(bot, '> agendar');
    const before = bot.scheduling.state.doctorLists;
    await runScript(bot, '> asdf\n< ¿Con quién', { clinic, phone });
    expect(bot.scheduling.state.doctorLists - before).toBe(1);
  });

  test('while scheduling is unavailable the turn is retried, and the message gets one reply', async () => {
    const { clinic, phone } = await runScript(bot, '> hola');
    bot.scheduling.state.unavailable = true;
    await bot.deliver(message(clinic.numberId, phone, { text: 'agendar' }));
    await bot.failedTurn(clinic.id);
    bot.scheduling.state.unavailable = false;
    bot.clock.advance(60_000);
    await bot.settled();
    const conversation = await bot.messagesOf(clinic.id, phone);
    expect(conversation.map(({ direction }) => direction)).toEqual(['in', 'out', 'in', 'out']);
    expect(conversation.at(-1)?.content.text).toContain('¿Con quién');
  });
});
