// The days and the times of a booking, as patients name them.
import { describe, expect, test } from '@jest/globals';
import { runScript, useBot } from '../testing/conversation-script.ts';

const bot = await useBot();

const JOURNEYS: Record<string, string> = {
  'a weekday by name': `
    > agendar
    > Rivas
    > el viernes a las 9:10
    < viernes 5 de junio: ¿a qué hora?`,
  'a date by numbers': `
    > agendar
    > Rivas
    > 15/06
    < lunes 15 de junio: ¿a qué hora?`,
  'the morning of a weekday is not tomorrow': `
    > agendar
    > Rivas
    > el viernes por la mañana
    < viernes 5 de junio: ¿a qué hora?`,
  'half hours and quarters, in words': `
    > agendar
    > Rivas
    > [mar 2 jun]
    > 8 y media
    < martes 2 de junio, 8:30 a. m., Dra. Ana Rivas La hora está reservada por 5 minutos. ¿A nombre de quién?
    > mejor a las diez y media de la mañana
    < martes 2 de junio, 10:30 a. m., Dra. Ana Rivas La hora está reservada por 5 minutos. ¿A nombre de quién?
    = drafts 1
    > Rosa Díaz
    > sí porfa
    < agendada`,
  'numbers that are no clock times hold nothing': `
    > agendar
    > Rivas
    > [mar 2 jun]
    > antes de las 10
    < martes 2 de junio: ¿a qué hora? [8:00 a. m.] [9:30 a. m.] ![10:00 a. m.] [Más horas]
    > a las 9 no puedo
    < De acuerdo, veamos otra hora [8:00 a. m.]
    > después de las 10 y media
    < ¿a qué hora? [10:30 a. m.] [11:30 a. m.] ![10:00 a. m.] [Más horas]
    > [Más horas]
    < ¿a qué hora? [8:00 a. m.]
    > mejor en 3 dias
    < jueves 4 de junio: ¿a qué hora?
    = drafts 0`,
  'a part of the day without free times': `
    > agendar
    > Rivas
    > mañana en la tarde
    < Dra. Ana Rivas no atiende en ese horario. Estas son las horas libres: Dra. Ana Rivas, martes 2 de junio: ¿a qué hora? [8:00 a. m.]`,
  'a part of the day whose times are taken': `
    ! other-patient 2026-06-02 08:00
    > cita con Rivas mañana antes de las 8 y media
    < Ese día no hay cupo en ese horario. Estas son las horas libres: Dra. Ana Rivas, martes 2 de junio: ¿a qué hora? [8:30 a. m.]`,
  'an hour at which the doctor does not work: the nearest times': `
    > cita con Rivas mañana a las 8 de la noche
    < Dra. Ana Rivas no atiende a esa hora (8:00 p. m.). Estas son las horas libres más cercanas: Dra. Ana Rivas, martes 2 de junio: ¿a qué hora? [11:30 a. m.] [Más horas]
    > a las 3 de la madrugada
    < Dra. Ana Rivas no atiende a esa hora (3:00 a. m.). Estas son las horas libres más cercanas: Dra. Ana Rivas, martes 2 de junio: ¿a qué hora? [8:00 a. m.]
    > a las 12 de la noche
    < Dra. Ana Rivas no atiende a esa hora (12:00 a. m.)
    > a medio día
    < Dra. Ana Rivas no atiende a esa hora (12:00 p. m.). Estas son las horas libres más cercanas: Dra. Ana Rivas, martes 2 de junio: ¿a qué hora? [11:30 a. m.]
    = drafts 0`,
  'an hour of today that is over': `
    > cita con Rivas hoy a las 8
    < Esa hora (8:00 a. m.) ya pasó. Estas son las horas más cercanas: Dra. Ana Rivas, lunes 1 de junio: ¿a qué hora? [8:30 a. m.]`,
  'days that are over and days that do not exist': `
    > quiero una cita para el 31 de junio
    < Esa fecha no existe. ¿Con quién desea su cita?
    > el 15 de mayo
    < Esa fecha ya pasó. ¿Con quién desea su cita?
    > Rivas
    < Dra. Ana Rivas: ¿qué día le conviene?
    > ayer
    < Esa fecha ya pasó. Dra. Ana Rivas: ¿qué día le conviene? [mar 2 jun]
    > el 31 de febrero a las 10
    < Esa fecha no existe. Dra. Ana Rivas: ¿qué día le conviene? [mar 2 jun]
    > mañana
    < martes 2 de junio, 10:00 a. m.
    > mejor el viernes pasado
    < Esa fecha ya pasó. Dra. Ana Rivas: ¿qué día le conviene? [mar 2 jun]
    > mañana a las 9
    < ¿A nombre de quién?
    > mejor el 30 de febrero
    < Esa fecha no existe. Dra. Ana Rivas: ¿qué día le conviene? [mar 2 jun]
    = drafts 0`,
  'an appointment is not moved to a day that does not exist': `
    ! appointment 2026-06-03 08:00
    > quiero pasar mi cita para el 31 de junio
    < Esa fecha no existe. Dra. Ana Rivas: ¿qué día le conviene? [mar 2 jun]
    > ayer a las 10
    < Esa fecha ya pasó. Dra. Ana Rivas: ¿qué día le conviene? [mar 2 jun]
    > mañana a las 10
    < ¿Cambio su cita?`,
  'a past day that the message only mentions is not asked for': `
    > ayer me dolió la muela, quiero una cita con Rivas mañana a las 9
    < martes 2 de junio, 9:00 a. m., Dra. Ana Rivas
    > menu
    > el lunes pasado fui, quiero otra cita con Rivas
    < Dra. Ana Rivas: ¿qué día le conviene? [mar 2 jun]`,
  'minutes before and after the hour': `
    > cita con Rivas mañana 10 para las 4
    < no atiende a esa hora (3:50 p. m.)
    > un cuarto para las 5
    < no atiende a esa hora (4:45 p. m.)
    > las 4 y cuarto
    < no atiende a esa hora (4:15 p. m.)
    > 9 y media
    < martes 2 de junio, 9:30 a. m.`,
  'a question for a day alone': `
    > ¿tiene para mañana?
    < ¿Con quién desea su cita?
    > Rivas
    < martes 2 de junio: ¿a qué hora?
    > menu
    > ¿y para el 31 de febrero?
    < Esa fecha no existe. ¿Con quién desea su cita?
    > menu
    > nos vemos mañana
    < ¡Con mucho gusto!`,
  'the first hour is not the first consultation': `
    ! type 30 Primera cita
    ! type 60 Limpieza
    > quiero cita mañana a primera hora
    < ¿Qué tipo de cita desea?
    > primera cita
    < ¿Con quién desea su cita?
    > Rivas
    < martes 2 de junio: ¿a qué hora? [8:00 a. m.]`,
  'a part of the day, with the day and then without': `
    > agendar
    > Rivas
    > el viernes antes de las 9
    < viernes 5 de junio: ¿a qué hora? [8:00 a. m.] [8:30 a. m.] ![9:00 a. m.]
    > en la mañana
    < viernes 5 de junio: ¿a qué hora? [8:00 a. m.] [9:00 a. m.]`,
  'day and time of the first message are used after type and doctor': `
    ! type 30 Control
    ! type 60 Limpieza
    > Buenas, me puede agendar para el viernes a las 10 am porfa
    < ¿Qué tipo de cita desea?
    > [Control]
    < ¿Con quién desea su cita?
    > [Dra. Ana Rivas]
    < viernes 5 de junio, 10:00 a. m., Dra. Ana Rivas La hora está reservada por 5 minutos. ¿A nombre de quién?
    = drafts 1`,
  'the time of the first message is used after the day': `
    > quiero una cita a las 9 y media
    > 2
    < ¿qué día le conviene?
    > [mar 2 jun]
    < martes 2 de junio, 9:30 a. m., Dra. Ana Rivas La hora está reservada por 5 minutos. ¿A nombre de quién?`,
  'a remembered time that is taken: the nearest times': `
    ! other-patient 2026-06-02 10:00
    > quiero una cita mañana a las 10 con Rivas
    < A esa hora (10:00 a. m.) ya no hay cupo. Estas son las horas más cercanas: Dra. Ana Rivas, martes 2 de junio: ¿a qué hora? [9:30 a. m.] [10:30 a. m.]
    = drafts 0`,
  'day and time in one message of the booking': `
    > agendar
    > Rivas
    > el viernes a las 10
    < viernes 5 de junio, 10:00 a. m., Dra. Ana Rivas
    = drafts 1`,
  'a time before the day is remembered': `
    > agendar
    > Rivas
    > a las 9 y media
    < De acuerdo, lo tomo en cuenta. Dra. Ana Rivas: ¿qué día le conviene?
    > el viernes
    < viernes 5 de junio, 9:30 a. m., Dra. Ana Rivas`,
  'a wish is forgotten after the menu': `
    > quiero una cita el viernes
    < ¿Con quién
    > menu
    > agendar
    > Rivas
    < ¿qué día le conviene?`,
  'the first free times': `
    > agendar
    > Rivas
    > lo mas pronto posible
    < Estas son las primeras horas libres: Dra. Ana Rivas, lunes 1 de junio: ¿a qué hora?`,
  'some day of the next week': `
    > agendar
    > Rivas
    > la otra semana
    < ¿qué día le conviene? [lun 8 jun] ![mar 2 jun]`,
  'a date that is not on the weekday': `
    > agendar
    > Rivas
    > lunes 9 de junio
    < La fecha no coincide con el día de la semana: esa fecha es martes 9 de junio. Dra. Ana Rivas: ¿qué día le conviene? [lun 8 jun] [mar 9 jun]`,
  'fifteen days are two weeks if that day does not suit': `
    ! closed 2026-06-16
    > agendar
    > Rivas
    > en quince dias
    < lunes 15 de junio: ¿a qué hora?`,
  'the first and the last times': `
    > cita con Rivas mañana
    > a primera hora
    < ¿a qué hora? [8:00 a. m.]
    > lo más tarde que tenga
    < ¿a qué hora? [11:30 a. m.] ![8:00 a. m.] [Más horas]`,
  'a question for free times': `
    > ¿Hay espacio para mañana?
    < ¿Con quién desea su cita?
    > Rivas
    < martes 2 de junio: ¿a qué hora?
    > menu
    > Buenos días doctora, ¿me puede atender mañana?
    < ¿Con quién desea su cita?`,
  'a weekday with its date, and a time that is no count of minutes before an hour': `
    > cita con Rivas el lunes 8 para las 10
    < lunes 8 de junio, 10:00 a. m., Dra. Ana Rivas
    > mejor el martes 9 tipo 11
    < martes 9 de junio, 11:00 a. m., Dra. Ana Rivas
    > mejor el lunes 10 para las 9
    < La fecha no coincide con el día de la semana: esa fecha es miércoles 10 de junio.
    > el 10
    < miércoles 10 de junio, 9:00 a. m., Dra. Ana Rivas`,
  'a number alone is the date of a listed day, or else its place, or else a later date': `
    > agendar
    > Rivas
    > 5
    < viernes 5 de junio: ¿a qué hora?
    > otro día
    > 1
    < lunes 1 de junio: ¿a qué hora?
    > otro día
    > 30
    < martes 30 de junio: ¿a qué hora?
    > otro día
    > 45
    < Esa fecha no existe. Dra. Ana Rivas: ¿qué día le conviene?
    = drafts 0`,
  'before, after and from a day': `
    > quiero cita con Rivas antes del viernes
    < Dra. Ana Rivas: ¿qué día le conviene? [lun 1 jun] [jue 4 jun]
    > después del viernes
    < ¿qué día le conviene? ![vie 5 jun] [sáb 6 jun]
    > a partir del 10
    < ¿qué día le conviene? ![mar 9 jun] [mié 10 jun]`,
  'later times, and times that are refused': `
    > cita con Rivas mañana
    < martes 2 de junio: ¿a qué hora? [8:00 a. m.]
    > ¿tenés algo más tarde?
    < martes 2 de junio: ¿a qué hora? [11:30 a. m.] ![8:00 a. m.]
    > no, esa no
    < De acuerdo, veamos otra hora.`,
  'right now means the first free times': `
    > ¿tienen cupo ahorita con la doctora Rivas?
    < Estas son las primeras horas libres: Dra. Ana Rivas, lunes 1 de junio: ¿a qué hora?`,
  'another day or another time while the name or the confirmation is asked for': `
    > cita con Rivas mañana a las 9
    > Rosa Díaz
    > quiero cambiar el día
    < Dra. Ana Rivas: ¿qué día le conviene? [mar 2 jun]
    = drafts 0
    > mañana a las 9
    < A nombre de: Rosa Díaz
    > sí, a esa hora
    = drafts 1
    > otra hora
    < martes 2 de junio: ¿a qué hora? [8:00 a. m.]
    > [8:30 a. m.]
    < A nombre de: Rosa Díaz
    > no esa no, otra más tarde
    < martes 2 de junio: ¿a qué hora? [11:30 a. m.] ![8:00 a. m.]
    = drafts 0
    > [11:30 a. m.]
    < A nombre de: Rosa Díaz`,
  'when the patient leaves work': `
    > ¿a qué hora me pueden atender el martes? salgo del trabajo a las 10
    > Rivas
    < martes 2 de junio: ¿a qué hora? [10:00 a. m.] ![8:00 a. m.]
    = drafts 0`,
  'any time is the first free time that is offered': `
    > cita con Rivas mañana
    > cualquier hora
    < martes 2 de junio, 8:00 a. m., Dra. Ana Rivas La hora está reservada
    > otra hora
    > después de las 9
    < ¿a qué hora? [9:00 a. m.] ![8:00 a. m.]
    > a la que sea
    < martes 2 de junio, 9:00 a. m.
    > menu
    > cita con Rivas mañana
    > [Más horas]
    < ¿a qué hora? [11:30 a. m.] ![8:00 a. m.]
    > la que tenga
    < martes 2 de junio, 11:30 a. m.
    > menu
    > cita con Rivas
    > el viernes a cualquier hora después de las 10
    < viernes 5 de junio, 10:00 a. m.
    > menu
    > quiero cita con Rivas cualquier día, a la hora que sea
    < lunes 1 de junio, 8:30 a. m., Dra. Ana Rivas La hora está reservada
    > menu
    > cita con Rivas mañana
    > cualquier hora menos a las 8
    < veamos otra hora
    = drafts 0
    > en la tarde
    < no atiende en ese horario
    > a cualquier hora de la tarde
    < no atiende en ese horario
    > la hora que sea
    < martes 2 de junio, 8:00 a. m.`,
  'any time for an appointment that is moved': `
    ! appointment 2026-06-03 09:00
    > cambiar mi cita para el viernes
    < viernes 5 de junio: ¿a qué hora?
    > a cualquier hora
    < viernes 5 de junio, 8:00 a. m. [Sí, cambiar]`,
  'a day alone begins a booking': `
    > el lunes porfa
    < ¿Con quién desea su cita?
    > Rivas
    < lunes 1 de junio: ¿a qué hora?
    > mejor otro día
    < Dra. Ana Rivas: ¿qué día le conviene? [mar 2 jun]`,
};

describe('days and times', () => {
  expect(Object.keys(JOURNEYS).length).toBeGreaterThanOrEqual(36);
  for (const [name, script] of Object.entries(JOURNEYS)) test(name, async () => void (await runScript(bot, script)));
});
