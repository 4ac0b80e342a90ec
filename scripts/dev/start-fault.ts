// A reason why the product cannot start that the user can correct. Its message is printed without a stack trace.
export class StartFault extends Error {}
