// A proposal of the assistant. It contains everything that its execution needs, so that exactly what was shown is executed. Stored as JSON.
export type Proposal = { summary: string } & (
  | Booking
  | { kind: 'move'; appointmentId: string; doctorId?: string | undefined; date: string; time: string }
  | { kind: 'cancel'; appointmentId: string; reason?: string | undefined }
  | { kind: 'message'; phone: string; text: string }
);

type Booking = {
  kind: 'book';
  doctorId: string;
  date: string;
  time: string;
  /** Absent if the booking adds or restores the patient, which needs the name and the phone. */
  patientId?: string | undefined;
  patientName: string;
  patientPhone: string;
  notes?: string | undefined;
};
