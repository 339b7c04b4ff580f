/** Names of the zoo, of the foreign bugs and of kernels as printed. Reading them loads no kernel. */
export const isOfZoo = (name: string): boolean => /^(zoo|foreign|printed)\//.test(name)
