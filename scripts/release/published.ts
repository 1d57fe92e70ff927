/** Whether the packages of the release are in a public registry. Until they are, their names could be anybody's. */
export const published = false;
