// The plans by name. What each one allows is identity's to say.

export const PLANS = ['trial', 'basic', 'pro', 'clinica', 'forever_free'] as const;
