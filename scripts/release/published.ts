/** Whether the packages of the release are in a public registry. Until they are, their names could be anyone's. */
export const published = false;
