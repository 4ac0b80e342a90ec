// Joining the waitlist by chat, in both languages, through all of messaging.
import { describe, expect, test } from '@jest/globals';
import { message, runScript, useBot } from '../testing/conversation-script.ts';

const bot = await useBot();

const JOURNEYS: Record<string, string> = {
  'the waitlist is not offered for today once the hours of the doctor are over': `
    ! known Rosa Díaz
    @ 1h
    ! closed 2026-06-01
    > cita para hoy con Rivas
    < Ese día ya no tiene horas libres [Lista de espera]
    > menu
    @ 12h
    > cita para hoy con Rivas
    < Ese día ya no tiene horas libres ![Lista de espera]`,
  'in words: the bot asks for the doctor and the name': `
    > Quiero entrar en la lista de espera
    < ¿Con quién desea su cita? [Dr. Luis Paz] [Dra. Ana Rivas]
    > [Dra. Ana Rivas]
    < Dra. Ana Rivas: ¿a nombre de quién es la lista de espera? [Lucía]
    = waiting none
    > Soy Rosa Díaz
    < Rosa Díaz está en la lista de espera con Dra. Ana Rivas hasta el lunes 27 de julio: le escribiremos por aquí cuando se libere una hora.
    = waiting Rosa Díaz | Dra. Ana Rivas | 2026-06-01 | 2026-07-27
    = appointments none
    = drafts 0`,
  'in English, with the doctor in the message and the name of the profile': `
    > Put me on the waitlist for doctor Paz, please
    < Dr. Luis Paz: in whose name is the waitlist?
    > [Lucía]
    < Lucía is on the waitlist with Dr. Luis Paz until Monday, 27 July
    = waiting Lucía | Dr. Luis Paz | 2026-06-01 | 2026-07-27`,
  'a known patient is not asked for the name, and joins once': `
    ! known Rosa Díaz
    > avíseme si se libera un cupo con la doctora Rivas
    < Rosa Díaz está en la lista de espera con Dra. Ana Rivas
    > waitlist with Rivas please
    < Rosa Díaz is already on the waitlist with Dra. Ana Rivas until Monday, 27 July. There is nothing else to do
    > lista de espera con Rivas
    < Rosa Díaz ya está en la lista de espera
    = waiting Rosa Díaz | Dra. Ana Rivas | 2026-06-01 | 2026-07-27`,
  'with dependants, the bot asks who joins': `
    ! known Rosa Díaz
    ! dependant Ana Díaz
    > lista de espera
    > 2
    < Dra. Ana Rivas: ¿para quién es la lista de espera? [Rosa Díaz] [Ana Díaz] [Otra persona]
    > asdf
    < ¿para quién es la lista de espera? [Ana Díaz]
    > [Ana Díaz]
    < Ana Díaz está en la lista de espera
    = waiting Ana Díaz | Dra. Ana Rivas | 2026-06-01 | 2026-07-27
    > [Ana Díaz]
    < Esa opción ya no está vigente`,
  'another person becomes a note': `
    ! known Rosa Díaz
    ! dependant Ana Díaz
    > lista de espera con Rivas
    > Otra persona
    < ¿a nombre de quién
    > ¿por qué?
    < escriba el nombre y el apellido
    > Luis Gómez
    < Luis Gómez está en la lista de espera
    = waiting Rosa Díaz | Dra. Ana Rivas | 2026-06-01 | 2026-07-27 | Por chat, para: Luis Gómez`,
  'a dependant in words': `
    ! known Rosa Díaz
    ! dependant Ana Gómez
    > lista de espera con Rivas
    > para Gómez
    < Ana Gómez está en la lista de espera`,
  'the row of a day without free times waits for that day': `
    ! known Rosa Díaz
    ! closed 2026-06-03
    > agendar
    > [Dra. Ana Rivas]
    > miércoles
    < Ese día ya no tiene horas libres. Dra. Ana Rivas: ¿qué día le conviene? [jue 4 jun] [Lista de espera] [Ver más]
    > asdf
    < no le entendí [Lista de espera]
    > [Lista de espera]
    < Rosa Díaz está en la lista de espera con Dra. Ana Rivas para el miércoles 3 de junio
    = waiting Rosa Díaz | Dra. Ana Rivas | 2026-06-03 | 2026-06-03`,
  'the title of the row, typed, means the same': `
    ! known Rosa Díaz
    ! closed 2026-06-03
    > book
    > [Dra. Ana Rivas]
    > wednesday
    < [Waitlist]
    > Waitlist
    < for Wednesday, 3 June
    = waiting Rosa Díaz | Dra. Ana Rivas | 2026-06-03 | 2026-06-03`,
  'a day in the message': `
    ! known Rosa Díaz
    ! closed 2026-06-03
    > avíseme si se libera un cupo el miércoles
    < ¿Con quién desea su cita?
    > Rivas
    < para el miércoles 3 de junio`,
  'a day that has free times again is offered instead': `
    ! known Rosa Díaz
    ! closed 2026-06-03
    > agendar
    > [Dra. Ana Rivas]
    > miércoles
    ! freed
    > [Lista de espera]
    < Ese día tiene horas libres. Dra. Ana Rivas, miércoles 3 de junio: ¿a qué hora? [8:00 a. m.]
    = waiting none`,
  'a day on which the doctor does not work: other days instead of the waitlist': `
    ! known Rosa Díaz
    ! off 2026-06-03
    > agendar
    > [Dra. Ana Rivas]
    > miércoles
    < Dra. Ana Rivas no atiende ese día. Dra. Ana Rivas: ¿qué día le conviene? [jue 4 jun] [Ver más] ![Lista de espera]
    > lista de espera el miércoles
    < Dra. Ana Rivas no atiende ese día. Dra. Ana Rivas: ¿qué día le conviene? [jue 4 jun]
    > wednesday
    < Dra. Ana Rivas does not see patients that day. Dra. Ana Rivas: which day suits you? [Thu 4 Jun]
    = waiting none`,
  'a day on which the doctor does not work, named with the waitlist': `
    ! known Rosa Díaz
    ! off 2026-06-03
    > avíseme si se libera un cupo el miércoles con Rivas
    < Dra. Ana Rivas no atiende ese día. Dra. Ana Rivas: ¿qué día le conviene? [jue 4 jun] ![Lista de espera]
    = waiting none`,
  'a row of the waitlist for a day that has become a day off': `
    ! known Rosa Díaz
    ! closed 2026-06-03
    > agendar
    > [Dra. Ana Rivas]
    > miércoles
    < [Lista de espera]
    ! off 2026-06-03
    > [Lista de espera]
    < no atiende ese día. Dra. Ana Rivas: ¿qué día le conviene? [jue 4 jun] ![Lista de espera]
    = waiting none`,
  'an appointment is not moved to a day on which the doctor does not work': `
    ! appointment 2026-06-02 08:30
    ! off 2026-06-03
    > cambiar mi cita
    > miércoles
    < Dra. Ana Rivas no atiende ese día. Dra. Ana Rivas: ¿qué día le conviene? [jue 4 jun]`,
  'a row for a past day': `
    ! known Rosa Díaz
    ! closed 2026-06-03
    > agendar
    > [Dra. Ana Rivas]
    > miércoles
    @ 4d
    > [Lista de espera]
    < Esa opción ya no está vigente. Dra. Ana Rivas: ¿qué día le conviene?
    = waiting none`,
  'the button when a doctor has no free times': `
    ! known Rosa Díaz
    ! booked-out
    > agendar
    > [Dra. Ana Rivas]
    < no tiene horas libres en los próximos meses [Lista de espera] [Agendar cita] [Hablar con alguien]
    > [Lista de espera]
    < Rosa Díaz está en la lista de espera con Dra. Ana Rivas hasta el lunes 27 de julio
    > [Lista de espera]
    < ya está en la lista de espera
    = waiting Rosa Díaz | Dra. Ana Rivas | 2026-06-01 | 2026-07-27`,
  'the bot asks for the type, and the entry has it': `
    ! known Rosa Díaz
    ! type 30 Control
    ! type 60 Limpieza
    ! only-of Limpieza Rivas
    > lista de espera
    < ¿Qué tipo de cita desea? [Control] [Limpieza]
    > [Limpieza]
    < Rosa Díaz está en la lista de espera con Dra. Ana Rivas
    > lista de espera
    > control
    < ¿Con quién desea su cita?
    > [Dr. Luis Paz]
    = waiting Rosa Díaz | Dra. Ana Rivas | 2026-06-01 | 2026-07-27 | Limpieza, Rosa Díaz | Dr. Luis Paz | 2026-06-01 | 2026-07-27 | Control`,
  'joining in the middle of a booking releases the slot': `
    ! known Rosa Díaz
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    = drafts 1
    > mejor la lista de espera con Rivas
    < Rosa Díaz está en la lista de espera
    = drafts 0`,
  'switching from a booking to the waitlist, and back, at the question for the doctor': `
    ! known Rosa Díaz
    > agendar
    > lista de espera con Paz
    < está en la lista de espera con Dr. Luis Paz
    > lista de espera
    < ¿Con quién
    > no, quiero agendar con Paz
    < Dr. Luis Paz: ¿qué día le conviene?`,
  'a patient who moves an appointment is not offered the waitlist': `
    ! appointment 2026-06-02 08:30
    ! booked-out
    > cambiar mi cita
    < no tiene horas libres en los próximos meses [Agendar cita] [Hablar con alguien] [Menú]`,
  'joining is abandoned': `
    > lista de espera con Rivas
    > olvídelo
    < no hice ningún cambio
    > Rosa Díaz
    < no le entendí
    = waiting none`,
  'a request to leave the waitlist is handed over to the staff': `
    > quíteme de la lista de espera
    < Una persona de Sonrisa le escribirá
    = waiting none`,
  'the bot is silent during a takeover': `
    ! known Rosa Díaz
    > hola
    ! takeover
    > lista de espera con Rivas
    < -
    = waiting none`,
};

describe('journeys', () => {
  for (const [name, script] of Object.entries(JOURNEYS)) test(name, async () => void (await runScript(bot, script)));

  test('with only one doctor, the bot does not ask for the doctor', async () => {
    const clinic = await bot.clinic({ doctors: ['Dra. Ana Rivas'] });
    await runScript(bot, '! known Rosa Díaz\n> lista de espera\n< Rosa Díaz está en la lista de espera con Dra. Ana Rivas', { clinic });
  });

  test('more doctors than fit in a list are shown in pages', async () => {
    const clinic = await bot.clinic({ doctors: Array.from({ length: 12 }, (_, index) => `Doctor ${String.fromCharCode(65 + index)}`) });
    const script = `
      ! known Rosa Díaz
      > lista de espera
      < ¿Con quién [Doctor A] [Ver más]
      > [Ver más]
      < ¿Con quién [Doctor L]
      > [Doctor L]
      < está en la lista de espera con Doctor L`;
    await runScript(bot, script, { clinic });
  });

  test('a list of days with the waitlist has at most ten rows', async () => {
    const { clinic, phone } = await runScript(bot, '! closed 2026-06-03\n> agendar\n> [Dra. Ana Rivas]\n> miércoles');
    const titles = (await bot.messagesOf(clinic.id, phone)).at(-1)?.content.choices?.map(({ title }) => title);
    expect(titles).toHaveLength(10);
    expect(titles?.slice(-2)).toEqual(['Lista de espera', 'Ver más']);
  });

  test('a message that is delivered several times joins once and gets one reply', async () => {
    const { clinic, phone } = await runScript(bot, '! known Rosa Díaz');
    const delivery = message(clinic.numberId, phone, { text: 'lista de espera con Rivas' });
    await Promise.all([delivery, delivery, delivery].map((one) => bot.deliver(one)));
    await bot.settled();
    await bot.deliver(delivery);
    await bot.settled();
    expect((await bot.messagesOf(clinic.id, phone)).map(({ direction }) => direction)).toEqual(['in', 'out']);
    await runScript(bot, '= waiting Rosa Díaz | Dra. Ana Rivas | 2026-06-01 | 2026-07-27', { clinic, phone });
  });

  test('a turn that is retried after midnight uses the dates of the message', async () => {
    const { clinic, phone } = await runScript(bot, '! known Rosa Díaz');
    bot.scheduling.state.unavailable = true;
    await bot.deliver(message(clinic.numberId, phone, { text: 'lista de espera con Rivas' }));
    await bot.failedTurn(clinic.id);
    bot.scheduling.state.unavailable = false;
    bot.clock.advance(20 * 3_600_000);
    await bot.settled();
    const check = bot.scheduling.waiting.filter(({ clinicId }) => clinicId === clinic.id).map(({ dateFrom, dateTo }) => [dateFrom, dateTo]);
    expect(check).toEqual([['2026-06-01', '2026-07-27']]);
  });
});
