/** The names of the Jest projects that have selected tests. */
export const selectedProjects = new Set<string>();
