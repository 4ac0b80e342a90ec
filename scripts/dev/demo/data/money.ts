// Prices, the courses of treatments, and the data of tax documents.

export const CENTS: Record<string, number> = {
  exam: 1500,
  cleaning: 3500,
  fluoride: 2000,
  filling_resin: 4500,
  filling_amalgam: 3500,
  root_canal: 18000,
  post: 9000,
  crown: 25000,
  veneer: 22000,
  extraction: 4000,
  surgical_extraction: 12000,
  scaling: 6000,
};

/** 35 %. */
export const COMMISSION = { type: 'percentage', value: 3500n };

export const TITLES = ['Rehabilitación integral', 'Restauraciones', 'Plan de tratamiento', 'Endodoncia y corona'];

export type Course = {
  /** Which steps are done. */
  done?: 'first' | 'all';
  status?: 'completed' | 'paused' | 'cancelled';
  /** Payments as percentages of the total. Without them there is no payment plan. */
  paid?: number[];
  /** How many days ago the first of four monthly instalments was due; 45 by default. */
  dueDaysAgo?: number;
  isMisbooked?: boolean;
};
/** Treatments take these courses in turn. The first is a quote to which the patient has not responded. */
export const COURSES: Course[] = [
  {},
  { done: 'first', paid: [25, 25] },
  { done: 'all', status: 'completed', paid: [50, 50] },
  { done: 'first', paid: [25], dueDaysAgo: 75 }, // overdue
  { done: 'all', paid: [25, 25, 25], isMisbooked: true },
  { done: 'first', status: 'paused', paid: [50] },
  { status: 'cancelled' },
];
export const TREATMENTS = 21;

/** Payment methods with the codes of the authority. */
export const METHODS = [
  { name: 'cash', code: '01' },
  { name: 'card', code: '03' },
  { name: 'transfer', code: '05' },
];
export const VOID_REASON = 'Monto digitado por error';

export const RECALL = {
  name: 'Control de limpieza',
  messageTemplate: 'Hola {nombre}, su última visita a {clinica} fue el {ultima_visita}. ¿Le agendamos su control?',
  recallIntervalDays: 45,
};

/** A company that pays for its employees. */
export const COMPANY = {
  name: 'Café Los Volcanes, S.A. de C.V.',
  documentType: '36',
  documentNumber: '06142205951023',
  nrc: '1987650',
  activity: '56101',
  address: { department: '06', municipality: '23', district: '14', line: 'Avenida de Prueba 45, San Salvador' },
  phone: '22223344',
  email: 'pagos@losvolcanes.example',
};
export const COMPANY_ITEMS = [
  { description: 'Limpieza dental de empleados', quantity: 6, unitPrice: 30 },
  { description: 'Consulta y diagnóstico', quantity: 6, unitPrice: 12 },
];
export const CREDITED_ITEMS = [{ description: 'Limpieza dental de un empleado que no asistió', quantity: 1, unitPrice: 30 }];
