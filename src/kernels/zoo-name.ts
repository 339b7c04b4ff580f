/** Names of the zoo, of the foreign bugs and of kernels as they were printed: known without any of them. */
export const isOfZoo = (name: string): boolean => /^(zoo|foreign|printed)\//.test(name)
