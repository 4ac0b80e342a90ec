// Booking with the bot, in both languages, through all of messaging: from the provider's delivery to the stored reply.
import { describe, expect, test } from '@jest/globals';
import { message, runScript, useBot } from '../testing/conversation-script.ts';

const bot = await useBot();

const JOURNEYS: Record<string, string> = {
  'a complete booking with buttons': `
    > hola
    > [Agendar cita]
    < ¿Con quién desea su cita? [Dr. Luis Paz] [Dra. Ana Rivas]
    > [Dra. Ana Rivas]
    < Dra. Ana Rivas: ¿qué día le conviene? [mar 2 jun] [Ver más]
    > [mar 2 jun]
    < martes 2 de junio: ¿a qué hora? [8:00 a. m.] [Más horas] [Otro día]
    > [8:30 a. m.]
    < ¿A nombre de quién? [Lucía]
    = drafts 1
    > Rosa Díaz
    < ¿Agendo esta cita? [Sí, agendar] [Otro nombre] [No, gracias]
    > [Sí, agendar]
    < Su cita está agendada
    = appointments 2026-06-02 08:30 confirmed chat
    = name Rosa Díaz
    = drafts 0`,
  'a complete booking with words': `
    > Quiero una cita con la doctora Rivas
    < Dra. Ana Rivas: ¿qué día le conviene?
    > mañana
    < martes 2 de junio: ¿a qué hora?
    > a las 10
    < ¿A nombre de quién?
    > Me llamo Rosa Díaz
    < A nombre de: Rosa Díaz
    > sí
    < Su cita está agendada
    = appointments 2026-06-02 10:00 confirmed chat`,
  'the bot asks for the type, and offers the doctors and starts that it allows': `
    ! type 30 Control
    ! type 60 Limpieza
    ! only-of Limpieza Rivas
    > agendar
    < ¿Qué tipo de cita desea? [Control] [Limpieza]
    > 2
    < Dra. Ana Rivas: ¿qué día le conviene? [mar 2 jun]
    > [mar 2 jun]
    < ¿a qué hora? [8:00 a. m.] [9:00 a. m.] [11:00 a. m.]
    > a las 11:30
    < Esa hora no está disponible
    > [9:00 a. m.]
    > Rosa Díaz
    > [Sí, agendar]
    < Su cita está agendada
    = appointments 2026-06-02 09:00 confirmed chat
    = type Limpieza
    > cambiar mi cita
    > [mié 3 jun]
    < ¿a qué hora? [8:00 a. m.] [9:00 a. m.]
    > 11:30
    < Esa hora no está disponible`,
  'a longer appointment moves to a time that overlaps its own': `
    ! type 30 Control
    ! type 60 Limpieza
    ! only-of Limpieza Rivas
    > agendar
    > [Limpieza]
    > [mar 2 jun]
    > [9:00 a. m.]
    > Rosa Díaz
    > [Sí, agendar]
    > cambiar mi cita
    < ¿qué día le conviene? [mar 2 jun]
    > [mar 2 jun]
    < ¿a qué hora? [8:00 a. m.] [8:30 a. m.] ![9:00 a. m.] [9:30 a. m.]
    > [9:30 a. m.]
    > [Sí, cambiar]
    < Su cita cambió
    = appointments 2026-06-02 09:30 confirmed chat`,
  'the type and the doctor in one message': `
    ! type 30 Cita de control
    ! type 45 Ortodoncia
    > Quiero una cita de ortodoncia con el doctor Paz
    < Dr. Luis Paz: ¿qué día le conviene?`,
  'the only type is not asked for': `
    ! type 30 Control
    > agendar
    < ¿Con quién desea su cita?
    > [Dr. Luis Paz]
    > [mar 2 jun]
    > [8:00 a. m.]
    > [Lucía]
    > sí
    < agendada
    = type Control`,
  'a list sent before the clinic had types': `
    > agendar
    > [Dra. Ana Rivas]
    ! type 30 Control
    ! type 60 Limpieza
    > [mar 2 jun]
    < Esa opción ya no está vigente. ¿Qué tipo de cita desea? [Control] [Limpieza]
    > {image}
    < ¿Qué tipo de cita desea? [Control]`,
  'a complete booking in English': `
    > Hi, I would like to book an appointment
    < Who would you like to see?
    > 2
    < Dra. Ana Rivas: which day suits you? [Tue 2 Jun] [See more]
    > tomorrow
    < Tuesday, 2 June: at what time? [8:00 AM]
    > 9:30 am
    < In whose name?
    > My name is John Smith
    < Shall I book this appointment? [Yes, book it]
    > yes please
    < Your appointment is booked
    = appointments 2026-06-02 09:30 confirmed chat
    = name John Smith`,
  'the times of a day are shown in pages': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    < a qué hora [8:00 a. m.] [11:00 a. m.] [Más horas]
    > [Más horas]
    < a qué hora [11:30 a. m.] [Otro día]
    > [11:30 a. m.]
    < 11:30 a. m.`,
  'another day': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [Otro día]
    < ¿qué día le conviene? [mié 3 jun]`,
  'more days': `
    > agendar
    > [Dra. Ana Rivas]
    > [Ver más]
    < ¿qué día le conviene? [jue 11 jun]`,
  'another day instead of a time': `
    > agendar
    > Rivas
    > mañana
    > 10 de junio
    < miércoles 10 de junio: ¿a qué hora?
    > 9/6
    < martes 9 de junio: ¿a qué hora?
    > el viernes
    < viernes 5 de junio: ¿a qué hora?
    > otro día
    < ¿qué día le conviene? [mar 2 jun]
    > el viernes 12 de junio
    < viernes 12 de junio: ¿a qué hora?
    = drafts 0
    > el viernes a las 9 de la mañana
    < viernes 12 de junio, 9:00 a. m., Dra. Ana Rivas`,
  'for a full day, later days are offered': `
    > agendar
    > Rivas
    ! closed 2026-06-03
    > 3 de junio
    < Ese día ya no tiene horas libres [jue 4 jun]`,
  'for a past day, upcoming days are offered': `
    > agendar
    > Rivas
    > 30 de mayo
    < Esa fecha ya pasó. Dra. Ana Rivas: ¿qué día le conviene? [mar 2 jun]`,
  'a time that was taken meanwhile: other times are offered': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    ! other-patient 2026-06-02 08:30
    > [8:30 a. m.]
    < Esa hora acaba de ocuparse. Estas siguen libres [8:00 a. m.] [9:00 a. m.]
    > [9:00 a. m.]
    < ¿A nombre de quién?`,
  'an expired hold of a slot that was taken meanwhile': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    > Rosa Díaz
    @ 10m
    ! other-patient 2026-06-02 08:30
    > [Sí, agendar]
    < Esa hora acaba de ocuparse
    = appointments none`,
  'an expired hold of a slot that is still free': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    > Rosa Díaz
    @ 10m
    > [Sí, agendar]
    < agendada
    = appointments 2026-06-02 08:30 confirmed chat`,
  'answering no to the confirmation releases the slot': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    > Rosa Díaz
    > [No, gracias]
    < no hice ningún cambio
    = drafts 0
    = appointments none`,
  'a word that abandons the booking': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    > cancelar
    < no hice ningún cambio
    = drafts 0`,
  'another time replaces the one that is held': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    > [9:00 a. m.]
    < 9:00 a. m.
    = drafts 1`,
  'a button that leaves the booking releases the slot': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    = drafts 1
    > [Otro día]
    < ¿qué día le conviene?
    = drafts 0
    > [mar 2 jun]
    < ¿a qué hora? [8:30 a. m.]
    > [8:30 a. m.]
    > Rosa Díaz
    > [8:30 a. m.]
    = drafts 1
    > mis citas
    = drafts 0`,
  'pressing the same button twice books once': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    > Rosa Díaz
    > [Sí, agendar]
    > [Sí, agendar]
    < Esa cita ya está agendada
    = appointments 2026-06-02 08:30 confirmed chat`,
  'after half an hour of silence the last button is no longer valid': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    > Rosa Díaz
    @ 31m
    > [Sí, agendar]
    < ya no está vigente
    = appointments none`,
  'a row of an old list still works': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    @ 2h
    > [8:30 a. m.]
    < ¿A nombre de quién?
    = drafts 1`,
  'a row of an old list for a past day': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    @ 3d
    > [8:30 a. m.]
    < Esa hora no está disponible. Dra. Ana Rivas: ¿qué día le conviene?
    = drafts 0`,
  'a time that the doctor does not have': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > a las 8:10
    < Esa hora no está disponible. Dra. Ana Rivas, martes 2 de junio: ¿a qué hora? [8:00 a. m.]
    = drafts 0`,
};

describe('booking', () => {
  expect(Object.keys(JOURNEYS).length).toBeGreaterThanOrEqual(26);
  for (const [name, script] of Object.entries(JOURNEYS)) test(name, async () => void (await runScript(bot, script)));

  test('with only one doctor, the bot does not ask for the doctor', async () => {
    const clinic = await bot.clinic({ doctors: ['Dra. Ana Rivas'] });
    await runScript(bot, '> agendar\n< Dra. Ana Rivas: ¿qué día le conviene?', { clinic });
  });

  test('a long doctor’s name is shown in full', async () => {
    const clinic = await bot.clinic({ doctors: ['Dra. María Alejandra González Paz', 'Dra. María Alejandra González Ruiz'] });
    const { phone } = await runScript(bot, '> agendar', { clinic });
    expect((await bot.messagesOf(clinic.id, phone)).at(-1)?.content.choices).toMatchObject([
      { title: 'Dra. María Alejandra Go…', description: 'Dra. María Alejandra González Paz' },
      { title: 'Dra. María Alejandra Go…', description: 'Dra. María Alejandra González Ruiz' },
    ]);
  });

  test('more doctors than fit in a list are shown in pages', async () => {
    const clinic = await bot.clinic({ doctors: Array.from({ length: 12 }, (_, index) => `Doctor ${String.fromCharCode(65 + index)}`) });
    await runScript(bot, '> agendar\n< ¿Con quién [Doctor A] [Ver más]\n> [Ver más]\n< ¿Con quién [Doctor L]', { clinic });
  });

  test('without doctors, the conversation is handed over to the staff', async () => {
    await runScript(bot, '> agendar\n< Una persona de Sonrisa le escribirá\n= mode human not_bookable', { clinic: await bot.clinic({ doctors: [] }) });
  });

  test('of two concurrent requests for a slot, one gets it and the other is offered other times', async () => {
    const clinic = await bot.clinic();
    const both = [bot.phone(), bot.phone()];
    for (const phone of both) await runScript(bot, '> agendar\n> [Dra. Ana Rivas]\n> [mar 2 jun]', { clinic, phone });
    const [first] = both;
    const offered = (await bot.messagesOf(clinic.id, first ?? '')).flatMap(({ content }) => content.choices ?? []);
    const choice = offered.find(({ title }) => title === '8:30 a. m.') ?? { id: '', title: '' };
    await Promise.all(both.map((phone) => bot.deliver(message(clinic.numberId, phone, { choice }))));
    await bot.settled();
    const last = await Promise.all(both.map(async (phone) => (await bot.messagesOf(clinic.id, phone)).at(-1)?.content.text ?? ''));
    expect(last.filter((text) => text.includes('¿A nombre de quién?'))).toHaveLength(1);
    expect(last.filter((text) => text.includes('acaba de ocuparse'))).toHaveLength(1);
  });
});
