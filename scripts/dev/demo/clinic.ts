// Data of the demo clinic. Persons, national ids (with valid check digits) and phones are fictitious.
import { duiCheckDigit } from '@clinic/lib/formats/dui.ts';

export const CLINIC = {
  clinicName: 'Clínica Dental Sonrisa',
  clinicType: 'dental',
  adminName: 'Marcela Aguilar',
  email: 'admin@sonrisa.example',
  phone: '+503 2222 1234',
  city: 'San Salvador',
  timezone: 'America/El_Salvador',
};

const NAMES_OF_CLINICS = ['San Rafael', 'La Esperanza', 'Los Robles', 'Santa Elena', 'El Volcán', 'Las Flores', 'San Miguelito', 'Monteverde'];
const CITIES = ['San Salvador', 'Santa Tecla', 'Santa Ana', 'San Miguel', 'Sonsonate', 'Usulután', 'Ahuachapán'];

/** An additional demo clinic; `number` is 2 or more. */
export function furtherClinic(number: number): typeof CLINIC {
  const [name, city] = [NAMES_OF_CLINICS[number % NAMES_OF_CLINICS.length], CITIES[number % CITIES.length] ?? ''];
  const digits = String(number).padStart(4, '0');
  return { ...CLINIC, clinicName: `Clínica Dental ${name} ${number}`, email: `admin@clinica-${number}.example`, phone: `+503 2223 ${digits}`, city };
}

const WEEKDAYS = [1, 2, 3, 4, 5];
const SATURDAY = 6;

const hours = (startTime: string, endTime: string, saturdayEnd: string) => [
  ...WEEKDAYS.map((dayOfWeek) => ({ dayOfWeek, startTime, endTime })),
  { dayOfWeek: SATURDAY, startTime, endTime: saturdayEnd },
];
const lunch = (startTime: string, endTime: string) => WEEKDAYS.map((dayOfWeek) => ({ dayOfWeek, startTime, endTime }));

export const DOCTORS = [
  {
    fullName: 'Dra. Ana Lucía Menjívar',
    specialty: 'Odontología general',
    bio: 'Atiende a toda la familia desde 2009.',
    consultationDurationMinutes: 30,
    bufferTimeMinutes: 0,
    workingHours: hours('08:00', '17:00', '12:00'),
    breaks: lunch('12:00', '13:00'),
  },
  {
    fullName: 'Dr. Roberto Castaneda',
    specialty: 'Ortodoncia',
    bio: 'Brackets y alineadores.',
    consultationDurationMinutes: 45,
    bufferTimeMinutes: 15,
    workingHours: hours('09:00', '18:00', '13:00'),
    breaks: lunch('13:00', '14:00'),
  },
  {
    fullName: 'Dra. Sofía Hernández Portillo',
    specialty: 'Endodoncia',
    bio: 'Tratamientos de conducto sin dolor.',
    consultationDurationMinutes: 60,
    bufferTimeMinutes: 0,
    workingHours: hours('07:30', '15:30', '11:30'),
    breaks: lunch('11:30', '12:30'),
  },
];

const NAMES: [name: string, gender: string, birthDate: string][] = [
  ['María José Alvarenga', 'female', '1988-04-12'],
  ['José Ernesto Beltrán', 'male', '1975-11-03'],
  ['Karla Ivette Cruz', 'female', '1993-07-21'],
  ['Luis Alonso Durán', 'male', '1969-01-30'],
  ['Gabriela Escobar Mejía', 'female', '2001-09-08'],
  ['Óscar Armando Flores', 'male', '1982-12-17'],
  ['Patricia Guardado', 'female', '1958-06-25'],
  ['Héctor Iván Landaverde', 'male', '1997-02-14'],
  ['Silvia Elena Martínez', 'female', '1990-10-05'],
  ['Ricardo Nochez', 'male', '1986-03-28'],
  ['Daniela Orellana', 'female', '2004-05-19'],
  ['Mario Enrique Peña', 'male', '1963-08-11'],
  ['Rosa Amelia Quintanilla', 'female', '1971-12-01'],
  ['Francisco Rivas', 'male', '1999-04-04'],
];

export const PATIENTS = NAMES.map(([fullName, gender, birthDate], index) => {
  const digits = String(1_234_567 + index * 3_141_592).padStart(8, '0');
  const dui = `${digits}-${duiCheckDigit(digits)}`;
  return { fullName, gender, birthDate, phone: `+503 7000 ${String(1001 + index * 137)}`, dui };
});

export const APPOINTMENT_NOTES = ['Limpieza', 'Control', 'Primera consulta', 'Dolor en molar', 'Ajuste de brackets', undefined];
