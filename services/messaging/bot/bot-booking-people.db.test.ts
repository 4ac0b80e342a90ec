// For whom an appointment is: the patient who has the phone, dependants and other people.
import { describe, expect, test } from '@jest/globals';
import { runScript, useBot } from '../testing/conversation-script.ts';

const bot = await useBot();

const JOURNEYS: Record<string, string> = {
  'a name that shares a word with a doctor names no doctor, and a child instead of another at the confirmation': `
    ! known Rosa Díaz
    ! dependant Mateo Rivas
    ! dependant Ana Díaz
    > cita con el Dr. Paz mañana
    < Dr. Luis Paz, martes 2 de junio: ¿a qué hora?
    > Mateo Rivas
    < no le entendí
    > Mejor Rivas
    < Dra. Ana Rivas, martes 2 de junio: ¿a qué hora?
    > a las 9
    > Mateo
    < A nombre de: Mateo Rivas
    > no, para Ana
    < A nombre de: Ana Díaz
    > menu
    > cita con el Dr. Paz mañana a las 10
    > Es para Ana, llega con su papá
    < Dr. Luis Paz A nombre de: Ana Díaz`,
  'a known patient is not asked for the name': `
    ! known Rosa Díaz
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:00 a. m.]
    < A nombre de: Rosa Díaz [Sí, agendar]
    > [Sí, agendar]
    < agendada
    = appointments 2026-06-02 08:00 confirmed chat`,
  'an appointment for another person keeps the name of the patient who has the phone, and has a note': `
    ! known Rosa Díaz
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:00 a. m.]
    > [Otro nombre]
    < ¿A nombre de quién?
    > Ana Díaz
    < A nombre de: Ana Díaz
    > sí
    < agendada
    = name Rosa Díaz
    = notes Por chat, para: Ana Díaz`,
  'a button takes the name of the profile': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:00 a. m.]
    > [Lucía]
    < A nombre de: Lucía
    > [Sí, agendar]
    = name Lucía`,
  'agreement takes the name of the profile': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:00 a. m.]
    < A nombre de quién? [Lucía]
    > sí
    < A nombre de: Lucía
    > [Otro nombre]
    > a mi nombre
    < A nombre de: Lucía`,
  'from a phone with dependants, the bot asks who the appointment is for': `
    ! known Rosa Díaz
    ! dependant Ana Díaz
    ! dependant Leonardo Enrique Díaz Menjívar
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    < ¿Para quién es la cita? [Rosa Díaz] [Ana Díaz] [Leonardo Enrique Díaz M…] [Otra persona]
    > mi prima
    < ¿Para quién es la cita?
    > Ana
    < A nombre de: Ana Díaz [Sí, agendar]
    > sí
    < Su cita está agendada: 📅 martes 2 de junio, 8:30 a. m., Dra. Ana Rivas, Ana Díaz
    = booked-for Ana Díaz
    = name Rosa Díaz
    > mis citas
    < Dra. Ana Rivas, Ana Díaz [Cancelar cita]`,
  'a phone with dependants books for its owner, for a dependant by name, and for somebody else': `
    ! known Rosa Díaz
    ! dependant Ana Díaz
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    > para mí
    < A nombre de: Rosa Díaz
    > [Otro nombre]
    < ¿A nombre de quién?
    > ana diaz
    < A nombre de: Ana Díaz
    > [Otro nombre]
    > Pedro Gómez
    < A nombre de: Pedro Gómez
    > sí
    = booked-for Rosa Díaz
    = notes Por chat, para: Pedro Gómez`,
  'a dependant button of an older question is not valid': `
    ! known Rosa Díaz
    ! dependant Ana Díaz
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    > [Otra persona]
    > cancelar
    > [Ana Díaz]
    < ya no está vigente`,
  'the title of the last row, typed, asks for a name': `
    ! known Rosa Díaz
    ! dependant Ana Díaz
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    > Otra persona
    < ¿A nombre de quién?
    = drafts 1`,
  'a child who shares a name with a doctor does not choose the doctor': `
    > quiero una cita para mi hija Ana López el viernes a las 10
    < ¿Con quién desea su cita?
    > Paz
    < viernes 5 de junio, 10:00 a. m., Dr. Luis Paz`,
  'another time at the confirmation keeps the name': `
    > agendar
    > Rivas
    > [mar 2 jun]
    > [8:30 a. m.]
    > Pedro Gómez
    > mejor a las 9
    < ¿Agendo esta cita? 📅 martes 2 de junio, 9:00 a. m., Dra. Ana Rivas A nombre de: Pedro Gómez
    > dale
    < agendada
    = appointments 2026-06-02 09:00 confirmed chat
    = name Pedro Gómez`,
  'a relative is not a name': `
    > agendar
    > Rivas
    > [mar 2 jun]
    > [8:30 a. m.]
    > para mi esposa
    < escriba el nombre
    > es para mi mamá que se llama Rosa Elvira Campos
    < A nombre de: Rosa Elvira Campos
    > sí
    < agendada
    = name Rosa Elvira Campos`,
  'another person is shown in the confirmation': `
    ! known Rosa Díaz
    > agendar
    > Rivas
    > [mar 2 jun]
    > [8:30 a. m.]
    > otro nombre
    > Ana Díaz
    > si gracias
    < Su cita está agendada: 📅 martes 2 de junio, 8:30 a. m., Dra. Ana Rivas, Ana Díaz
    = name Rosa Díaz`,
  'a question is not taken for a name': `
    ! faq parqueo: Sí hay parqueo gratis
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    > ¿hay parqueo?
    < Sí hay parqueo gratis
    > 12345
    < escriba el nombre
    > Buenas tardes
    < escriba el nombre
    > a mi nombre
    < A nombre de: Lucía
    > [Otro nombre]
    > Rosa Díaz
    < A nombre de: Rosa Díaz`,
  'another name at the confirmation': `
    > cita con Rivas mañana a las 9
    > Rosa Díaz
    > mejor a nombre de mi mamá, Teresa Díaz
    < A nombre de: Teresa Díaz
    > sí
    = name Teresa Díaz`,
  'a name that shares a word with a dependant is another person': `
    ! known Rosa Díaz
    ! dependant Carlos Pérez
    > cita con Rivas mañana a las 9
    < ¿Para quién es la cita?
    > Ana Díaz
    < A nombre de: Ana Díaz
    > sí
    = booked-for Rosa Díaz
    = notes Por chat, para: Ana Díaz
    > cita con Rivas mañana a las 10
    > [Otra persona]
    > Carlos
    < A nombre de: Carlos Pérez`,
  'for whom it is may be said before it is asked for': `
    > quiero una cita
    < ¿Con quién desea su cita?
    > para mi mamá
    < De acuerdo, lo tomo en cuenta. ¿Con quién desea su cita?
    > cita con Rivas mañana a las 9
    < ¿A nombre de quién?
    > Rosa Díaz
    < A nombre de: Rosa Díaz
    > es para mi mamá
    < ¿A nombre de quién?
    > Teresa Díaz
    > sí
    = name Teresa Díaz`,
  'for a relative, a known patient without dependants is asked for the name': `
    ! known Rosa Díaz
    > quiero una cita
    > para mi hijo
    < De acuerdo, lo tomo en cuenta. ¿Con quién desea su cita?
    > Rivas mañana a las 9
    < ¿A nombre de quién?
    > mejor a las 10
    < 10:00 a. m., Dra. Ana Rivas La hora está reservada por 5 minutos. ¿A nombre de quién?
    > Carlos Díaz
    < A nombre de: Carlos Díaz
    > sí
    = notes Por chat, para: Carlos Díaz
    > quiero cita para mi hijo Carlos mañana a las 9 con Rivas
    < A nombre de: Carlos
    > menu
    > agendar
    > Rivas
    > para mi hijo mañana
    < martes 2 de junio: ¿a qué hora?
    > 11:00
    < ¿A nombre de quién?
    > lista de espera con Rivas para mi hijo
    < ¿a nombre de quién es la lista de espera?
    > menu
    > cita con Rivas para la otra semana
    > [lun 8 jun]
    > [9:00 a. m.]
    < A nombre de: Rosa Díaz`,
  'a relative who is named at once is not asked for': `
    ! known Ana Díaz
    > quiero una cita para mi hijo Mateo
    < ¿Con quién desea su cita?
    > Rivas
    > mañana a las 9
    < A nombre de: Mateo
    > sí
    = name Ana Díaz
    = notes Por chat, para: Mateo
    > necesito cita para mi hija Ana Sofía con Paz el viernes a las 9
    < viernes 5 de junio, 9:00 a. m., Dr. Luis Paz A nombre de: Ana Sofía
    > menu
    > quisiera cita para mi mamá, Rosa López para el viernes con Paz a las 10
    < viernes 5 de junio, 10:00 a. m., Dr. Luis Paz A nombre de: Rosa López
    > menu
    > kiero cita para mi hijo Mateo alvarez con Paz mañana a las 10
    < A nombre de: Mateo
    > menu
    > cita con Paz mañana a las 10 para mi hijo bien temprano
    < ¿A nombre de quién?
    > menu
    > cita con Paz mañana a las 10 a nombre de Elena Díaz de Paz, gracias
    < A nombre de: Elena Díaz de Paz
    > menu
    > cita para mi hija Ana con Paz mañana a las 10
    < A nombre de: Ana
    > sí
    = notes Por chat, para: Ana`,
  'a dependant who is named at once is that dependant': `
    ! known Ana Díaz
    ! dependant Mateo Díaz
    > cita para mi hijo Mateo con Paz mañana a las 10
    < A nombre de: Mateo Díaz
    > sí
    = booked-for Mateo Díaz
    > cita para mi hija Ana con Paz mañana a las 11
    < A nombre de: Ana
    > sí
    = booked-for Ana Díaz
    = notes Por chat, para: Ana`,
  'a relative who is named at once from the phone of nobody': `
    > quiero una cita para mi mamá Rosa López el viernes a las 9 con Rivas
    < viernes 5 de junio, 9:00 a. m., Dra. Ana Rivas A nombre de: Rosa López
    > sí
    = name Rosa López`,
  'words after a relative that are no name, and two relatives, are asked for': `
    ! known Rosa Díaz
    > cita con Paz mañana a las 8 para mi hijo de 5 años
    < ¿A nombre de quién?
    > menu
    > cita con Paz mañana a las 8 para mi hijo tiene caries
    < ¿A nombre de quién?
    > menu
    > cita con Paz mañana a las 8 para mi hija limpieza dental
    < ¿A nombre de quién?
    > menu
    > cita con Paz mañana a las 8 para mi hijo Mateo y para mi hija Ana
    < ¿A nombre de quién?`,
  'for the patient after all, instead of a relative': `
    ! known Rosa Díaz
    > cita para mi hijo
    < ¿Con quién desea su cita?
    > para mí
    < De acuerdo, lo tomo en cuenta
    > Rivas mañana a las 9
    < A nombre de: Rosa Díaz
    > menu
    > cita a nombre de Carlos Díaz
    < ¿Con quién desea su cita?
    > no, para mí
    > Rivas mañana a las 9
    < A nombre de: Rosa Díaz
    > menu
    > cita para mi hijo
    > quiero una cita para mí con Rivas mañana a las 9
    < A nombre de: Rosa Díaz`,
  'a name that the desk corrects before the confirmation': `
    ! known Rosa Díaz
    > cita con Rivas mañana a las 9
    < A nombre de: Rosa Díaz
    ! known Rosa Dias
    > sí
    < agendada
    = name Rosa Dias
    > cita con Rivas mañana a las 10
    > [Otro nombre]
    > para mí
    ! known Rosa Díaz
    > sí
    = name Rosa Díaz
    > cita con Rivas mañana a las 11
    > [Otro nombre]
    > Ana Paz
    ! known Rosa Dias
    > sí
    = name Rosa Dias
    = notes Por chat, para: Ana Paz`,
  'a relative who is not among the dependants': `
    ! known Rosa Díaz
    ! dependant Carlos Pérez
    > cita con Rivas mañana a las 9
    < ¿Para quién es la cita? [Carlos Pérez]
    > para mi hermana
    < ¿A nombre de quién?
    > Elena Díaz
    < A nombre de: Elena Díaz`,
  'a name in the first message is not asked for': `
    > necesito una cita mañana a las 9 con la doctora Rivas a nombre de Roberto Carlos Ávila
    < ¿Agendo esta cita? 📅 martes 2 de junio, 9:00 a. m., Dra. Ana Rivas A nombre de: Roberto Carlos Ávila
    > sí
    < agendada
    = name Roberto Carlos Ávila
    > cita con Paz mañana a las 10 a nombre de Elena Díaz
    < A nombre de: Elena Díaz
    > menu
    > cita con Paz mañana a las 10
    < ¿A nombre de quién?`,
  'a new patient who gives a name and says «para mí»': `
    > quiero una cita, me llamo Ana López
    > quiero una cita para mí con la doctora Rivas el miércoles a las 9
    < Ana López
    > sí
    = name Ana López`,
  'a name before the type and the doctor are known': `
    ! type 30 Control
    ! type 60 Limpieza
    > quiero una cita mañana a las 9
    > me llamo Rosa Díaz
    < De acuerdo, lo tomo en cuenta. ¿Qué tipo de cita desea?
    > un control
    > Rivas
    < A nombre de: Rosa Díaz`,
};

describe('people', () => {
  expect(Object.keys(JOURNEYS).length).toBeGreaterThanOrEqual(19);
  for (const [name, script] of Object.entries(JOURNEYS)) test(name, async () => void (await runScript(bot, script)));

  test('a surname that is also a word of questions', async () => {
    const script = `
    > cita con Rivas mañana a las 9
    < ¿A nombre de quién? [John Price]
    > John Price
    < A nombre de: John Price
    > [Otro nombre]
    > [John Price]
    < A nombre de: John Price
    > [Otro nombre]
    > price of the cleaning?
    < No tengo esa información
    > a nombre de John Price`;
    const { clinic, phone } = await runScript(bot, script, { profileName: 'John Price' });
    const replies = (await bot.messagesOf(clinic.id, phone)).flatMap(({ direction, content: { text = '' } }) =>
      direction === 'out' && text.includes('John Price') ? [text.slice(0, 7)] : [],
    );
    expect(replies).toEqual(['¿Agendo', '¿Agendo', '¿Agendo']);
  });

  test('a profile name that is not a person’s name is not suggested', async () => {
    const script = `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    < ¿A nombre de quién?`;
    const { clinic, phone } = await runScript(bot, script, { profileName: '🦷✨' });
    expect((await bot.messagesOf(clinic.id, phone)).at(-1)?.content.choices).toBeUndefined();
  });
});
